// A remote tenant for tests of mirrors: a Cardea for tests in a child process, mirrors of it by the
// command line, and comparisons of both sides byte by byte.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { compose } from '../../src/compose/compose.ts';
import { INDEX_NAMES } from '../../src/query/mapping/document-types.ts';
import type { IndexName } from '../../src/query/query.ts';
import { createAdmin } from '../../src/service/accounts/provisioning.ts';
import { createCredential } from '../../src/service/credentials/credentials.ts';
import type { FaultRule, TestTenant } from '../../src/testing/index.ts';
import { type CommandLine, commandLine } from './command-line.ts';
import { throwAwayConfig } from './empty-store.ts';
import { eventually } from './eventually.ts';
import { CARDEA } from './program.ts';

/** One request in twenty fails, in all ways in which requests fail. */
export const FAULTS: readonly FaultRule[] = [
  { match: { probability: 0.01 }, then: { status: 429, retryAfter: 1 } },
  { match: { probability: 0.01 }, then: { status: 500 } },
  { match: { probability: 0.01 }, then: { status: 503, retryAfter: 1 } },
  { match: { probability: 0.01 }, then: { drop: true } },
  { match: { probability: 0.01 }, then: { truncate: 1_000 } },
];

/** The flags and variables of a mirror of that tenant. */
export function mirrorOf(
  tenant: Pick<TestTenant, 'baseUrl' | 'credentials'>,
  dataDir: string,
  flags: readonly string[] = [],
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  return {
    args: ['mirror', '--from', tenant.baseUrl, '--data-dir', dataDir, ...flags],
    env: {
      SAIL_CLIENT_ID: tenant.credentials.clientId,
      SAIL_CLIENT_SECRET: tenant.credentials.clientSecret,
      NERM_TOKEN: tenant.credentials.apiKey,
      CARDEA_ALLOW_PRIVATE_URLS: 'on',
    },
  };
}

/** Runs a mirror in this process. */
export function startMirror(...mirror: Parameters<typeof mirrorOf>): CommandLine {
  const { args, env } = mirrorOf(...mirror);
  return commandLine(args, { env });
}

/** Runs a mirror to its end. @returns what it printed as JSON, and its exit code */
// biome-ignore lint/suspicious/noExplicitAny: JSON of the command line
export async function mirrored(...mirror: Parameters<typeof mirrorOf>): Promise<any> {
  const [tenant, dataDir, flags = []] = mirror;
  const line = startMirror(tenant, dataDir, [...flags, '--json']);
  const code = await line.ended;
  assert.match(line.out(), /^\{.*\}\n$/s, line.err());
  return { code, err: line.err(), ...JSON.parse(line.out()) };
}

/** Runs a mirror in a process of its own, which can be killed. */
export function spawnMirror(...mirror: Parameters<typeof mirrorOf>): {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
} {
  const { args, env } = mirrorOf(...mirror);
  const child = spawn(process.execPath, [CARDEA, ...args, '--json'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { child, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** A served tenant. */
export interface ServedTenant extends Pick<TestTenant, 'baseUrl' | 'credentials'> {
  close(): Promise<void>;
}

/** Serves a mirrored data directory, with an administrator of its own. */
export async function serveMirror(
  dataDir: string,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServedTenant> {
  const config = throwAwayConfig({ CARDEA_DATA_DIR: dataDir, CARDEA_PORT: '0', ...env });
  const cardea = await compose(config, { log: pino({ level: 'silent' }) });
  const tenant = await cardea.store.read.tenantByName(name);
  assert.ok(tenant !== null, `there is no tenant ${name}`);
  const uid = 'mirror.operator';
  const admin =
    (await cardea.store.read.authUserByUid(tenant.id, uid)) ??
    (await createAdmin(cardea.store, tenant, { uid }));
  const { credential: token, secret } = await createCredential(
    cardea.store,
    tenant.id,
    'pat',
    {
      name: randomUUID(),
    },
    { ownerId: admin.id },
  );
  const { secret: key } = await createCredential(cardea.store, tenant.id, 'key', {
    name: randomUUID(),
  });
  const { url } = await cardea.start();
  const sequence = await cardea.store.read.lastSequence();
  await cardea.services.status.waitUntilSearchable(sequence, 60_000);
  return {
    baseUrl: url,
    credentials: { tenant: name, clientId: token.id, clientSecret: secret, apiKey: key },
    close: () => cardea.stop(),
  };
}

/** A token of a tenant. */
export async function tokenOf({
  baseUrl,
  credentials,
}: Pick<TestTenant, 'baseUrl' | 'credentials'>): Promise<string> {
  const answer = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** The answers of all searches of a walk through an index, byte for byte, without the audit trail. */
export async function allDocuments(
  tenant: Pick<TestTenant, 'baseUrl' | 'credentials'>,
  index: IndexName,
): Promise<string[]> {
  const token = await tokenOf(tenant);
  const pages: string[] = [];
  for (let after: string[] = []; ; ) {
    const body = JSON.stringify({
      ...{ indices: [index], query: { query: 'NOT stack:cardea' } },
      ...{ sort: ['id'], searchAfter: after },
    });
    let text = '';
    // A mirror may have used up the rate limit of its client.
    await eventually(async () => {
      const answer = await fetch(`${tenant.baseUrl}/v2024/search?limit=1000`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      });
      text = await answer.text();
      assert.equal(answer.status, 200, text);
    });
    pages.push(text);
    const last = (JSON.parse(text) as { id: string }[]).at(-1);
    if (last === undefined) return pages;
    after = [last.id];
  }
}

/** Fails if a file of a data directory has a secret. */
export function assertNowhere(dataDir: string, secret: string): void {
  assert.notEqual(secret, '');
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    assert.ok(!readFileSync(path).includes(secret), path);
  }
}

/** Fails unless both tenants answer the same documents, byte for byte. @returns their number */
export async function assertSameDocuments(
  here: Pick<TestTenant, 'baseUrl' | 'credentials'>,
  there: Pick<TestTenant, 'baseUrl' | 'credentials'>,
): Promise<number> {
  let count = 0;
  for (const index of INDEX_NAMES) {
    const [ours, theirs] = await Promise.all([
      allDocuments(here, index),
      allDocuments(there, index),
    ]);
    assert.deepEqual(ours, theirs, index);
    for (const page of ours) count += (JSON.parse(page) as unknown[]).length;
  }
  return count;
}
