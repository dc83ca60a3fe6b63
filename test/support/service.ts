// The whole service over real HTTP on a free port, with an empty data directory, one tenant and one
// administrator, for tests across all layers. Stopping it removes its data.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TokenPolicy } from '../../src/auth/confinement.ts';
import { type Cardea, compose } from '../../src/compose/compose.ts';
import { createAdmin, createTenant } from '../../src/service/accounts/provisioning.ts';
import { operatorOf } from '../../src/service/audit/operator-event.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import type { ImportReport } from '../../src/service/imports/documents.ts';
import { MIRROR_ADMIN } from '../../src/service/mirrors/mirror-setup.ts';
import type { AuthUser, Store, Tenant } from '../../src/service/ports/store.ts';
import { documented } from './documented.ts';
import { throwAwayConfig, writeEmptyStore } from './empty-store.ts';

/** A running service with one tenant. */
export interface RunningService {
  readonly url: string;
  readonly cardea: Cardea;
  readonly dataDir: string;
  /** The policy for what a token may create; suites run with each. */
  readonly policy: TokenPolicy;
  readonly tenantId: string;
  readonly adminId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A new access token of the administrator. */
  token(): Promise<string>;
  /** Sends a request with the administrator's token; the response must match docs/openapi.yaml. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Where documents and profiles are added: the service, or what it mirrors. */
  readonly origin: Pick<RunningService, 'cardea' | 'tenantId'>;
  /** Waits until what was added to the origin is searchable. */
  arrival(): Promise<void>;
  /** Imports documents and waits until they are searchable. */
  addDocuments(documents: readonly Record<string, unknown>[]): Promise<ImportReport>;
  /** Adds auth users without capabilities. @returns their ids */
  addAuthUsers(count: number): Promise<string[]>;
  stop(): Promise<void>;
}

/** The infrastructure of test services, if not SQLite and a single node. */
export interface Infrastructure {
  /** Threads that serve; one by default. */
  readonly threads?: number;
  /** Settings of the next service. */
  settings(): Promise<Record<string, string>>;
  /** Adds nodes to the first one; a single node by default. */
  addNodes?(first: Cardea, url: string, settings: Record<string, string>): Promise<NodeGroup>;
  /** The service that tests get instead of the started one, such as a mirror of it. */
  replace?(started: RunningService, settings: Record<string, string>): Promise<RunningService>;
}

/** Several nodes behind one address. */
export interface NodeGroup {
  readonly url: string;
  /** The first node; it waits for all nodes when it waits for a change to be searchable. */
  readonly cardea: Cardea;
  /** Stops the added nodes. */
  stop(): Promise<void>;
}

/** The name of the tenant of a test service. */
const TENANT = 'test';

let infrastructure: Infrastructure = { settings: async () => ({}) };

/** Sets the infrastructure of the services that this process starts from now on. */
export function useInfrastructure(next: Infrastructure): void {
  infrastructure = next;
}

/**
 * Makes the services that this process starts from now on use a store; `url` is called for each.
 */
export function useStore(url: () => Promise<string>): void {
  useInfrastructure({ settings: async () => ({ CARDEA_STORE_URL: await url() }) });
}

/** @param env settings as environment variables */
export async function startService(env: Record<string, string> = {}): Promise<RunningService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cardea-test-'));
  const shared = { CARDEA_PORT: '0', ...(await infrastructure.settings()), ...env };
  const config = throwAwayConfig({ CARDEA_DATA_DIR: dataDir, ...shared });
  if (config.store.kind === 'sqlite') await writeEmptyStore(config.store.path);
  const { threads = 1 } = infrastructure;
  const first = await compose(config, { log: pino({ level: 'silent' }), threads });
  const tenant = await newTenant(first, TENANT);
  const started = await first.start();
  await first.threads.untilServing();
  const group = await infrastructure.addNodes?.(first, started.url, shared);
  const { url, cardea } = group ?? { url: started.url, cardea: first };
  const served = { url, cardea, dataDir, policy: config.tokenPolicy };
  const service = serviceOf(served, tenant, async () => {
    await group?.stop();
    await first.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return infrastructure.replace?.(service, shared) ?? service;
}

/** Serves the mirror of a test service from its data directory. @param env settings */
export async function serveMirrored(
  dataDir: string,
  env: Record<string, string>,
): Promise<RunningService> {
  const config = throwAwayConfig({ CARDEA_DATA_DIR: dataDir, ...env });
  const cardea = await compose(config, { log: pino({ level: 'silent' }) });
  const tenant = await cardea.store.read.tenantByName(TENANT);
  if (tenant === null) throw new Error(`There is no tenant ${TENANT}`);
  const admin = await cardea.store.read.authUserByUid(tenant.id, MIRROR_ADMIN);
  if (admin === null) throw new Error('The mirror has no administrator');
  const credentials = await credentialsOf(cardea.store, tenant, admin);
  const { url } = await cardea.start();
  const served = { url, cardea, dataDir, policy: config.tokenPolicy };
  return serviceOf(served, credentials, () => cardea.stop());
}

/** The service for another tenant, with an administrator of its own; `stop` does nothing to it. */
export async function addServedTenant(
  { url, cardea, dataDir, policy }: RunningService,
  name: string,
): Promise<RunningService> {
  const tenant = await newTenant(cardea, name);
  return serviceOf({ url, cardea, dataDir, policy }, tenant, async () => {});
}

type NewTenant = Pick<RunningService, 'tenantId' | 'adminId' | 'clientId' | 'clientSecret'>;

/** A tenant with one administrator. */
async function newTenant({ store }: Cardea, name: string): Promise<NewTenant> {
  const tenant = await createTenant(store, { name });
  return credentialsOf(store, tenant, await createAdmin(store, tenant, { uid: 'test.admin' }));
}

async function credentialsOf(store: Store, tenant: Tenant, admin: AuthUser): Promise<NewTenant> {
  const pat = await createCredential(
    store,
    tenant.id,
    'pat',
    { name: 'test' },
    { ownerId: admin.id },
  );
  const credentials = { clientId: pat.credential.id, clientSecret: pat.secret };
  return { tenantId: tenant.id, adminId: admin.id, ...credentials };
}

function serviceOf(
  served: Pick<RunningService, 'url' | 'cardea' | 'dataDir' | 'policy'>,
  tenant: NewTenant,
  stop: () => Promise<void>,
): RunningService {
  const { url, cardea } = served;
  const { tenantId } = tenant;
  let cachedToken: Promise<string> | null = null;
  let users = 0;
  const token = () => requestToken(url, tenant);
  const arrival = async () => {
    const sequence = await cardea.store.read.lastSequence();
    await cardea.services.status.waitUntilSearchable(sequence, 60_000);
  };
  return {
    ...served,
    ...tenant,
    origin: { cardea, tenantId },
    token,
    arrival,
    async call(method, path, body, headers = {}) {
      cachedToken ??= token();
      const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await cachedToken}`,
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
          // Each request meets another thread.
          ...((infrastructure.threads ?? 1) > 1 && { connection: 'close' }),
          ...headers,
        },
        ...(sent === undefined ? {} : { body: sent }),
      });
      return documented(method, path, answer);
    },
    async addDocuments(documents) {
      const report = await cardea.documents.importDocuments(operatorOf(tenantId), lines(documents));
      if (report.failed > 0) throw new Error(JSON.stringify(report.faults));
      await arrival();
      return report;
    },
    async addAuthUsers(count) {
      const ids = Array.from({ length: count }, () => `user${String(++users).padStart(28, '0')}`);
      const records = ids.map((id) => ({ id, uid: id, displayName: id, capabilities: [] }));
      const report = await cardea.documents.importAuthUsers(operatorOf(tenantId), lines(records));
      if (report.failed > 0) throw new Error(JSON.stringify(report.faults));
      return ids;
    },
    stop,
  };
}

/** A token of a credential. */
export async function requestToken(
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

/** The lines of an import, one for each value. */
export async function* lines(values: Iterable<unknown>) {
  let line = 0;
  for (const value of values) yield { line: ++line, text: JSON.stringify(value) };
}
