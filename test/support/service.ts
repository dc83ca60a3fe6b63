// The whole service, served over real HTTP on a free port from an empty data directory, with one tenant and one
// administrator. Tests that cross all layers start one of these; it removes its data when stopped.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TokenPolicy } from '../../src/auth/confinement.ts';
import { type Cardea, compose } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import {
  createAdmin,
  createPersonalAccessToken,
  createTenant,
} from '../../src/identity/accounts/provisioning.ts';
import type { ImportReport } from '../../src/identity/documents/documents.ts';
import { documented } from './documented.ts';

/** A served tenant. */
export interface RunningService {
  readonly url: string;
  readonly cardea: Cardea;
  readonly dataDir: string;
  /** What a token may create here: suites run under either. */
  readonly policy: TokenPolicy;
  readonly tenantId: string;
  readonly adminId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A new access token of the administrator. */
  token(): Promise<string>;
  /** A call with the administrator's token; JSON bodies are encoded. The answer must be a documented one. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Imports documents and waits until they are searchable. */
  addDocuments(documents: readonly Record<string, unknown>[]): Promise<ImportReport>;
  /** Makes that many auth users without capabilities. @returns their ids */
  addAuthUsers(count: number): Promise<string[]>;
  stop(): Promise<void>;
}

/** What the services of a process stand on, where that is not an SQLite file and themselves. */
export interface Ground {
  /** Of the next service. */
  settings(): Promise<Record<string, string>>;
  /** Puts more nodes beside the first one; where it is left out there is one. */
  surround?(first: Cardea, url: string, settings: Record<string, string>): Promise<Surrounded>;
}

/** Several nodes behind one address. */
export interface Surrounded {
  readonly url: string;
  /** The first node, which waits for all of them where it waits for a change to be searchable. */
  readonly cardea: Cardea;
  /** Ends what was put beside the first one. */
  stop(): Promise<void>;
}

let ground: Ground = { settings: async () => ({}) };

/** Lets the services that this process starts from now on stand there. */
export function standOn(next: Ground): void {
  ground = next;
}

/** Lets the services that this process starts from now on keep their data there; `url` is asked for each one's. */
export function keepDataIn(url: () => Promise<string>): void {
  standOn({ settings: async () => ({ CARDEA_STORE_URL: await url() }) });
}

/** @param env settings by their environment variables, over an empty environment */
export async function startService(env: Record<string, string> = {}): Promise<RunningService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-test-'));
  const shared = { CARDEA_PORT: '0', ...(await ground.settings()), ...env };
  const config = parseConfig({ CARDEA_DATA_DIR: dataDir, ...shared });
  const first = await compose(config, { log: pino({ level: 'silent' }) });
  const tenant = await createTenant(first.store, { name: 'test' });
  const admin = await createAdmin(first.store, tenant, { uid: 'test.admin' });
  const pat = await createPersonalAccessToken(first.store, tenant.id, admin.id, { name: 'test' });
  const started = await first.start();
  const surrounded = await ground.surround?.(first, started.url, shared);
  const { url, cardea } = surrounded ?? { url: started.url, cardea: first };
  const credentials = { clientId: pat.token.id, clientSecret: pat.secret };
  let kept: Promise<string> | null = null;
  let users = 0;
  const token = () => requestToken(url, credentials);
  const service: RunningService = {
    url,
    cardea,
    dataDir,
    policy: config.tokenPolicy,
    tenantId: tenant.id,
    adminId: admin.id,
    ...credentials,
    token,
    async call(method, path, body, headers = {}) {
      kept ??= token();
      const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await kept}`,
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(sent === undefined ? {} : { body: sent }),
      });
      return documented(method, path, answer);
    },
    async addDocuments(documents) {
      const report = await cardea.documents.importDocuments(tenant.id, lines(documents));
      if (report.failed > 0) throw new Error(JSON.stringify(report.faults));
      await cardea.services.status.waitUntilSearchable(report.sequence, 60_000);
      return report;
    },
    async addAuthUsers(count) {
      const ids = Array.from({ length: count }, () => `user${String(++users).padStart(28, '0')}`);
      const made = ids.map((id) => ({ id, uid: id, displayName: id, capabilities: [] }));
      const report = await cardea.documents.importAuthUsers(tenant.id, lines(made));
      if (report.failed > 0) throw new Error(JSON.stringify(report.faults));
      return ids;
    },
    async stop() {
      await surrounded?.stop();
      await first.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return service;
}

async function requestToken(
  url: string,
  credentials: { clientId: string; clientSecret: string },
): Promise<string> {
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function* lines(documents: readonly Record<string, unknown>[]) {
  let line = 0;
  for (const document of documents) yield { line: ++line, text: JSON.stringify(document) };
}
