// kill -9 at random points of a mirror: whatever a run had stored, the next one ends with the same
// documents, byte for byte; then random changes and deletions arrive. MIRROR_KILLS and
// MIRROR_IDENTITIES make it larger, MIRROR_RATE_LIMIT=isc as slow as the public service.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { INDEX_NAMES } from '../../src/query/mapping/document-types.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { startTenant, type TestTenant } from '../../src/testing/index.ts';
import { eventually } from '../support/eventually.ts';
import {
  assertSameDocuments,
  mirrored,
  serveMirror,
  spawnMirror,
} from '../support/remote-tenant.ts';
import { assertSound } from '../support/sound-database.ts';
import { TestClient } from '../testing/client.ts';

const KILLS = Number(process.env['MIRROR_KILLS'] ?? 3);
const IDENTITIES = Number(process.env['MIRROR_IDENTITIES'] ?? 150);
const RATE_LIMIT = process.env['MIRROR_RATE_LIMIT'] ?? 'off';
const RATE = RATE_LIMIT === 'off' ? ['--rate', 'off'] : [];
const directory = mkdtempSync(join(tmpdir(), 'cardea-mirror-kill-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let tenant: TestTenant;
let reference: string;
/** Milliseconds that a run takes that nothing interrupts. */
let runMs: number;
const dataDir = join(directory, 'reference');

async function assertSame(): Promise<void> {
  const here = await serveMirror(dataDir, tenant.credentials.tenant);
  try {
    await assertSameDocuments(here, tenant);
  } finally {
    await here.close();
  }
}

before(async () => {
  tenant = await startTenant({ identities: IDENTITIES, seed: 11, rateLimit: RATE_LIMIT });
  const began = performance.now();
  assert.equal(await spawnMirror(tenant, dataDir, RATE).ended, 0);
  runMs = performance.now() - began;
  await assertSame();
  reference = await digest(dataDir);
  await tenant.faults.set([
    { match: { probability: 0.03 }, then: { status: 500 } },
    { match: { probability: 0.02 }, then: { drop: true } },
  ]);
});
after(() => tenant.close());

/** A hash of all mirrored documents of a store, and of which ones the mirror counts as its own. */
async function digest(dataDir: string): Promise<string> {
  const store = await openSqliteStore({ path: join(dataDir, 'cardea.db') });
  try {
    const found = await store.read.tenantByName(tenant.credentials.tenant);
    assert.ok(found !== null);
    const hash = createHash('sha256');
    for (const index of INDEX_NAMES) {
      const range = { after: null, upTo: null };
      for (const id of await store.read.mirroredIds(found.id, index, range, 10_000_000)) {
        const document = await store.read.document(found.id, index, id);
        assert.ok(document !== null, `${index} ${id} is missing`);
        hash.update(`${index} ${id}\n`).update(document.root).update(document.nested);
      }
    }
    assert.deepEqual(await store.read.inconsistencies(), []);
    return hash.digest('hex');
  } finally {
    await store.close();
  }
}

for (let round = 0; round < KILLS; round++) {
  test(`ends with the same documents after kill -9 at a random point (${round + 1})`, async () => {
    const copyDir = join(directory, `round-${round}`);
    // Several kills in a row, each of a run that continues the one before.
    for (let kill = 0; kill <= round % 3; kill++) {
      const { child, ended } = spawnMirror(tenant, copyDir, [
        '--rate',
        'off',
        '--sweep-every',
        '0s',
      ]);
      const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * runMs);
      await ended;
      clearTimeout(timer);
    }
    const report = await mirrored(tenant, copyDir, RATE);
    assert.deepEqual([report.code, report.outcome], [0, 'complete'], report.err);
    assert.equal(await digest(copyDir), reference);
    const connection = await openConnection(join(copyDir, 'cardea.db'), 10_000);
    assertSound(connection);
    connection.close();
    rmSync(copyDir, { recursive: true });
  });
}

test('brings random changes and deletions with the next runs', async () => {
  await tenant.faults.clear();
  const client = new TestClient(tenant);
  const count = Math.ceil(IDENTITIES / 20);
  const changedAt = new Date().toISOString();
  const documents: Record<string, unknown>[] = [];
  const deleted: string[] = [];
  for (let after: string[] = []; ; ) {
    const search = { indices: ['identities'], query: { query: '*' }, sort: ['id'] };
    const body = { ...search, searchAfter: after };
    const answer = await client.call('POST', '/v2024/search?limit=250', body);
    const rows = (await answer.json()) as (Record<string, unknown> & { id: string })[];
    for (const row of rows) {
      const chance = Math.random();
      if (chance < 0.05 && documents.length < count) {
        documents.push({ ...row, displayName: `Changed ${row.id}`, modified: changedAt });
      } else if (chance > 0.95 && deleted.length < count) deleted.push(row.id);
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = [last.id];
  }
  await tenant.seed(documents);
  for (const id of deleted) {
    const path = `/admin/v1/documents/identities/${id}`;
    await eventually(async () => assert.equal((await client.call('DELETE', path)).status, 204));
  }
  const probe = deleted.at(-1);
  await eventually(async () => assert.deepEqual(await client.ids('identities', `id:${probe}`), []));
  const report = await mirrored(tenant, dataDir, [...RATE, '--sweep-every', '0s']);
  assert.deepEqual(
    [report.code, report.counts.updated, report.counts.deleted],
    [0, documents.length, deleted.length],
    report.err,
  );
  await assertSame();
  const verified = await mirrored(tenant, dataDir, [...RATE, '--verify']);
  assert.deepEqual([verified.code, verified.equal], [0, true]);
});
