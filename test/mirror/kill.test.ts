// suite: slow, alone
// A mirror of a tenant that refuses, fails, drops and cuts off one request in twenty: it copies
// everything; kill -9 at random points loses and repeats nothing; random changes and deletions
// arrive, also by runs that are killed; --verify finds a planted difference. MIRROR_IDENTITIES,
// MIRROR_KILLS and MIRROR_CHANGES make it larger, MIRROR_RATE_LIMIT=isc as slow as the public
// service.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type FaultRule, startTenant, type TestTenant } from 'cardea/testing';
import { INDEX_NAMES } from '../../src/query/mapping/document-types.ts';
import type { IndexName } from '../../src/query/query.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { showProfiles } from '../../src/service/profiles/values/shown-profiles.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { caseCount } from '../support/case-count.ts';
import { commandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import {
  allDocuments,
  assertSameDocuments,
  mirrored,
  serveMirror,
  spawnMirror,
} from '../support/remote-tenant.ts';
import { assertSound } from '../support/sound-database.ts';
import { TestClient } from '../testing/client.ts';

const KILLS = Number(process.env['MIRROR_KILLS'] ?? 3);
const IDENTITIES = Number(process.env['MIRROR_IDENTITIES'] ?? caseCount(20, 50));
/** Changes and deletions together. */
const CHANGES = Number(process.env['MIRROR_CHANGES'] ?? 30);
const RATE_LIMIT = process.env['MIRROR_RATE_LIMIT'] ?? 'off';
const RATE = RATE_LIMIT === 'off' ? ['--rate', 'off'] : [];
const SWEEP = ['--sweep-every', '0s'];
/** Each auth user is a request: twenty thousand take as long as all the rest together. */
const AUTH_USERS = IDENTITIES > 1_000 ? 'none' : 'all';
/** Runs in a row that may end before they are killed. */
const ATTEMPTS = 100;

/** One request in twenty fails, in all ways in which requests fail. */
const FAULTS: readonly FaultRule[] = [
  { match: { probability: 0.01 }, then: { status: 429, retryAfter: 1 } },
  { match: { probability: 0.01 }, then: { status: 500 } },
  { match: { probability: 0.01 }, then: { status: 503 } },
  { match: { probability: 0.01 }, then: { drop: true } },
  { match: { probability: 0.01 }, then: { truncate: 1_000 } },
];

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-kill-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let tenant: TestTenant;
/** What every run is given. */
let flags: readonly string[];
let reference: string;
/** Milliseconds that a run takes that nothing interrupts. */
let runMs: number;
const dataDir = join(directory, 'reference');

/** Fails unless the mirror answers as the remote tenant does. @returns the number of documents */
async function assertSame(): Promise<number> {
  await tenant.faults.clear();
  const here = await serveMirror(dataDir, tenant.credentials.tenant);
  try {
    return await assertSameDocuments(here, tenant);
  } finally {
    await here.close();
    await tenant.faults.set(FAULTS);
  }
}

before(async () => {
  const size = { identities: IDENTITIES, profiles: Math.min(IDENTITIES, 200) };
  tenant = await startTenant({ ...size, seed: 11, rateLimit: RATE_LIMIT });
  flags = [...RATE, '--auth-users', AUTH_USERS, '--profiles-from', tenant.baseUrl];
  await tenant.faults.set(FAULTS);
});
after(() => tenant.close());

/**
 * A hash of all mirrored documents, auth users and profiles of a store, and of which ones the mirror
 * counts as its own.
 */
async function digest(dataDir: string): Promise<string> {
  const store = await openSqliteStore({ path: join(dataDir, 'cardea.db') });
  try {
    const found = await store.read.tenantByName(tenant.credentials.tenant);
    assert.ok(found !== null);
    const hash = createHash('sha256');
    for (const { name } of await store.read.mirrorParts(found.id)) {
      const range = { after: null, upTo: null };
      const ids = await store.read.mirroredIds(found.id, name, range, 10_000_000);
      hash.update(`${name}\n${ids.join('\n')}\n`);
      for (const id of ids) {
        for (const bytes of await storedBytes(store, found.id, name, id)) hash.update(bytes);
      }
    }
    assert.deepEqual(await store.read.inconsistencies(), []);
    return hash.digest('hex');
  } finally {
    await store.close();
  }
}

/** What is stored of an item, apart from the times of sign-ins, which every run changes. */
async function storedBytes(
  { read }: Store,
  tenantId: string,
  part: string,
  id: string,
): Promise<readonly (Uint8Array | string)[]> {
  const index = INDEX_NAMES.find((name) => name === part);
  if (index !== undefined) {
    const document = await read.document(tenantId, index, id);
    assert.ok(document !== null, `${index} ${id} is missing`);
    return [document.root, document.nested];
  }
  if (part === 'auth-users') {
    const user = await read.authUser(tenantId, id);
    assert.ok(user !== null, `auth user ${id} is missing`);
    return [JSON.stringify({ ...user, lastLoginTimestamp: 0, currentLoginTimestamp: 0 })];
  }
  if (!part.endsWith('/profiles')) return [];
  const profiles = await read.profilesByKey(tenantId, [id]);
  assert.equal(profiles.length, 1, `profile ${id} is missing`);
  return [JSON.stringify(await showProfiles(read, tenantId, profiles))];
}

/** Starts runs until the given number of them were killed before their end. */
async function killRuns(dataDir: string, kills: number): Promise<void> {
  let killed = 0;
  for (let attempt = 0; killed < kills; attempt++) {
    assert.ok(attempt < ATTEMPTS, 'the runs end before they are killed');
    const { child, ended } = spawnMirror(tenant, dataDir, [...flags, ...SWEEP]);
    const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * runMs);
    await ended;
    clearTimeout(timer);
    if (child.signalCode === 'SIGKILL') killed += 1;
  }
}

/** Fails unless the database is sound. */
async function assertSoundIn(dataDir: string): Promise<void> {
  const connection = await openConnection(join(dataDir, 'cardea.db'), 60_000);
  assertSound(connection);
  connection.close();
}

/** How many runs of each round are killed one after the other: 1, 2, 3, 1, … */
function rounds(kills: number): readonly number[] {
  const sizes: number[] = [];
  for (let left = kills; left > 0; left -= sizes.at(-1) ?? left) {
    sizes.push(Math.min(left, 1 + (sizes.length % 3)));
  }
  return sizes;
}

test('copies everything from a tenant that fails one request in twenty', async (t) => {
  const began = performance.now();
  const report = await mirrored(tenant, dataDir, flags);
  runMs = performance.now() - began;
  assert.deepEqual([report.code, report.faults, report.counts.refused], [0, [], 0], report.err);
  const documents = await assertSame();
  assert.ok(report.counts.created > documents, 'with auth users and profiles');
  reference = await digest(dataDir);
  t.diagnostic(`${documents} documents, ${report.counts.created} created in ${seconds(runMs)}`);
});

for (const [round, kills] of rounds(KILLS).entries()) {
  test(`ends with the same documents after kill -9 of ${kills} runs (${round + 1})`, async (t) => {
    const copyDir = join(directory, `round-${round}`);
    await killRuns(copyDir, kills);
    const began = performance.now();
    const report = await mirrored(tenant, copyDir, flags);
    assert.deepEqual([report.code, report.outcome], [0, 'complete'], report.err);
    assert.equal(await digest(copyDir), reference);
    await assertSoundIn(copyDir);
    rmSync(copyDir, { recursive: true });
    const passed = seconds(performance.now() - began);
    t.diagnostic(`the last run read ${report.documents} documents in ${passed}`);
  });
}

/** Random documents of all indexes: every change or deletion has its own. */
async function randomRows(count: number): Promise<readonly { index: IndexName; row: Row }[]> {
  const all: { index: IndexName; row: Row; order: number }[] = [];
  for (const index of INDEX_NAMES) {
    for (const page of await allDocuments(tenant, index)) {
      for (const row of JSON.parse(page) as Row[]) all.push({ index, row, order: Math.random() });
    }
  }
  return all.sort((a, b) => a.order - b.order).slice(0, count);
}

test('brings random changes and deletions with the next runs, some of which are killed', async (t) => {
  await tenant.faults.clear();
  const client = new TestClient(tenant);
  const changed: Row[] = [];
  const deleted: { index: IndexName; id: string }[] = [];
  const now = new Date().toISOString();
  for (const { index, row } of await randomRows(CHANGES)) {
    // Events never change.
    if (index === 'events' || Math.random() < 0.5) deleted.push({ index, id: row.id });
    else changed.push({ ...row, name: `Changed ${row.id}`, modified: now });
  }
  await tenant.seed(changed);
  for (const { index, id } of deleted) {
    const path = `/admin/v1/documents/${index}/${id}`;
    await eventually(async () => assert.equal((await client.call('DELETE', path)).status, 204));
  }
  for (const { index, id } of deleted.slice(-1)) {
    await eventually(async () => assert.deepEqual(await client.ids(index, `id:"${id}"`), []));
  }
  await tenant.faults.set(FAULTS);
  const began = performance.now();
  await killRuns(dataDir, Math.ceil(KILLS / 10));
  const report = await mirrored(tenant, dataDir, [...flags, ...SWEEP]);
  const passed = seconds(performance.now() - began);
  assert.deepEqual([report.code, report.outcome], [0, 'complete'], report.err);
  assert.ok((await assertSame()) > 0);
  await assertSoundIn(dataDir);
  const verified = await mirrored(tenant, dataDir, [...RATE, '--verify']);
  assert.deepEqual([verified.code, verified.equal], [0, true], JSON.stringify(verified));
  t.diagnostic(`${changed.length} changes and ${deleted.length} deletions in ${passed}`);
});

test('finds a planted difference with --verify, and no other', async (t) => {
  await tenant.faults.clear();
  const name = tenant.credentials.tenant;
  const [page = ''] = await allDocuments(tenant, 'identities');
  const rows = JSON.parse(page) as Row[];
  const planted = rows[Math.floor(Math.random() * rows.length)];
  const file = join(directory, 'planted.ndjson');
  writeFileSync(file, JSON.stringify({ ...planted, displayName: 'Planted' }));
  const line = commandLine(['import', file, '--tenant', name, '--data-dir', dataDir]);
  assert.equal(await line.ended, 0, line.err());
  await tenant.faults.set(FAULTS);
  const began = performance.now();
  const verified = await mirrored(tenant, dataDir, [...RATE, '--verify', '--sample', 'all']);
  const differences = verified.differences.map(({ id, field }: { id: string; field: string }) => [
    id,
    field,
  ]);
  assert.deepEqual(differences, [[planted?.id, 'displayName']]);
  assert.deepEqual([verified.code, verified.equal], [1, false]);
  const compared = verified.parts.reduce(
    (sum: number, part: { compared: number }) => sum + part.compared,
    0,
  );
  t.diagnostic(`compared ${compared} documents in ${seconds(performance.now() - began)}`);
});

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
