// suite: slow
// Documents that are refused although an older state of them is here: later runs ask for them again,
// however long ago they changed.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { RemoteRecord } from '../../src/jobs/mirror/remote/remote-tenant.ts';
import { openTestMirror, type TestMirror } from '../support/mirror-world.ts';

let mirror: TestMirror;
beforeEach(async () => {
  mirror = await openTestMirror();
});
afterEach(() => mirror.close());

function identity(number: number, members: object = {}): RemoteRecord {
  const id = `i${String(number).padStart(5, '0')}`;
  return {
    ...{ _type: 'identity', id, name: `user${number}`, created: '2024-01-01T00:00:00.000Z' },
    ...{ modified: '2025-01-01T00:00:00.000Z', ...members },
  };
}

/** Long before the youngest change, so that no later increment asks for it. */
const EARLIER = { modified: '2025-06-01T00:00:00.000Z' };
const YOUNGEST = { modified: '2025-12-01T00:00:00.000Z' };
/** A date that no document may have. */
const UNSTORABLE = { created: 'soon' };
const PLAIN = { name: 'changed', ...EARLIER };

/** A mirror of two identities, after a run that could not store a change of the first one. */
async function refuseChange(): Promise<void> {
  mirror.tenant.rows = [identity(1), identity(2)];
  // Sweeps, so that later runs do not.
  assert.equal((await mirror.run({ sweepEveryMs: 0 })).counts.created, 2);
  mirror.tenant.rows = [identity(1, { ...PLAIN, ...UNSTORABLE }), identity(2, YOUNGEST)];
  const { outcome, counts } = await mirror.run();
  assert.deepEqual([outcome, counts.updated, counts.refused], ['complete', 1, 1]);
}

test('a refused change is stored by the next run that can', async () => {
  await refuseChange();
  assert.equal((await mirror.run()).counts.refused, 1, 'it is refused again');
  assert.deepEqual((await mirror.part('identities')).refusedIds, ['i00001']);
  mirror.tenant.rows = [identity(1, PLAIN), identity(2, YOUNGEST)];
  const { outcome, counts } = await mirror.run();
  assert.deepEqual([outcome, counts.updated, counts.refused], ['complete', 1, 0]);
  assert.equal((await mirror.document('i00001'))?.['name'], 'changed');
  const { refusals, refusedIds } = await mirror.part('identities');
  assert.deepEqual([refusals, refusedIds], [[], []]);
});

test('a refused change of a document that was deleted is forgotten', async () => {
  await refuseChange();
  mirror.tenant.rows = [identity(2, YOUNGEST)];
  assert.equal((await mirror.run()).counts.refused, 0);
  assert.deepEqual((await mirror.part('identities')).refusedIds, []);
});

test('a refused new document is asked for once more, then left to sweeps', async () => {
  await refuseChange();
  mirror.tenant.rows = [identity(1, PLAIN), identity(2, YOUNGEST)];
  mirror.tenant.rows.push(identity(3, { ...UNSTORABLE, ...YOUNGEST }));
  await mirror.run();
  assert.deepEqual((await mirror.part('identities')).refusedIds, ['i00003']);
  // Later than the overlap before the youngest change, so that increments do not list it again.
  mirror.tenant.rows.push(identity(4, { modified: '2025-12-24T00:00:00.000Z' }));
  await mirror.run();
  await mirror.run();
  assert.deepEqual((await mirror.part('identities')).refusedIds, []);
  mirror.tenant.rows[2] = identity(3, YOUNGEST);
  assert.equal((await mirror.run()).counts.created, 0);
  assert.equal((await mirror.run({ sweepEveryMs: 0 })).counts.created, 1);
});

/** More documents than a part lists. */
const MANY = Array.from({ length: 1_050 }, (_, i) => i);

test('a run that refuses too many changes says so, and is repeated from where it started', async () => {
  mirror.tenant.rows = MANY.map((i) => identity(i));
  assert.equal((await mirror.run({ sweepEveryMs: 0 })).counts.created, 1_050);
  const { newest, copiedAt } = await mirror.part('identities');
  mirror.clock.now = '2026-01-01T13:00:00.000Z';
  mirror.tenant.rows = MANY.map((i) => identity(i, { ...PLAIN, ...UNSTORABLE }));
  mirror.tenant.rows.push(identity(2_000, YOUNGEST));
  const refused = await mirror.run();
  assert.deepEqual([refused.outcome, refused.counts.refused], ['failed', 1_050]);
  assert.match(refused.faults.join(), /^identities: changes of more than 1000 documents cannot be/);
  const part = await mirror.part('identities');
  assert.deepEqual([part.newest, part.copiedAt, part.walk], [newest, copiedAt, null]);
  assert.equal(part.refusedIds.length, 1_000);
  mirror.tenant.rows = MANY.map((i) => identity(i, PLAIN));
  mirror.tenant.rows.push(identity(2_000, YOUNGEST));
  const mended = await mirror.run();
  assert.deepEqual([mended.outcome, mended.counts.updated], ['complete', 1_050]);
});

test('deletions arrive although too many changes are refused', async () => {
  mirror.tenant.rows = MANY.map((i) => identity(i));
  await mirror.run({ sweepEveryMs: 0 });
  mirror.tenant.rows = MANY.slice(1).map((i) => identity(i, { ...YOUNGEST, ...UNSTORABLE }));
  const { outcome, faults, counts } = await mirror.run({ sweepEveryMs: 0 });
  assert.match(faults.join(), /^identities: changes of more than 1000 documents cannot be/);
  assert.deepEqual([outcome, counts.deleted], ['failed', 1]);
  assert.equal(await mirror.document('i00000'), null);
});

test('deletions arrive although the first copy refuses too many changes of what was here before', async () => {
  const { local, tenantId } = mirror.world();
  const pages = await local.documentPages(tenantId, 'identities');
  const imported = MANY.map((i) => identity(i));
  await pages.put(
    imported.map((row) => ({ id: row.id, text: Buffer.from(JSON.stringify(row)) })),
    async () => {},
  );
  const refused = MANY.map((i) => identity(i, UNSTORABLE));
  mirror.tenant.rows = [...refused, identity(2_000)];
  const first = await mirror.run();
  assert.deepEqual([first.outcome, first.counts.created], ['failed', 1]);
  assert.equal((await mirror.part('identities')).copiedAt, null);
  mirror.clock.now = '2026-01-03T12:00:00.000Z';
  mirror.tenant.rows = refused;
  const { outcome, counts } = await mirror.run();
  assert.deepEqual([outcome, counts.deleted], ['failed', 1]);
});

test('a first copy is complete however many documents it refuses: sweeps try them again', async () => {
  mirror.tenant.rows = MANY.map((i) => identity(i, UNSTORABLE));
  const { outcome, counts } = await mirror.run({ sweepEveryMs: 0 });
  assert.deepEqual([outcome, counts.created], ['complete', 0]);
  assert.equal((await mirror.part('identities')).copiedAt, mirror.clock.now);
  mirror.tenant.rows = MANY.map((i) => identity(i));
  assert.equal((await mirror.run({ sweepEveryMs: 0 })).counts.created, 1_050);
});
