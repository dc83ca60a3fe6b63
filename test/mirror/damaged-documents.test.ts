// Documents of a mirror that are damaged here come again from the remote tenant.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { repairRecords } from '../../src/cli/common/damaged-documents.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
import { openTestMirror, type TestMirror } from '../support/mirror-world.ts';

let mirror: TestMirror;
beforeEach(async () => {
  mirror = await openTestMirror();
  mirror.tenant.rows = ['a', 'b', 'c'].map((id) => ({
    ...{ _type: 'identity', id, name: `Identity ${id}`, description: 'text '.repeat(40) },
    ...{ created: '2024-01-01T00:00:00.000Z', modified: '2024-01-01T00:00:00.000Z' },
  }));
  assert.equal((await mirror.run()).counts.created, 3);
});
afterEach(() => mirror.close());

/** A mirrored document but for the time at which it was copied. */
async function copied(id: string) {
  const stored = await mirror.document(id);
  return stored === null ? null : { ...stored, synced: '' };
}

async function damage(id: string): Promise<void> {
  const connection = await openConnection(join(mirror.dataDir, 'cardea.db'), 60_000);
  connection.run("update document set root = x'00' || substr(root, 2) where id = ?", [id]);
  connection.close();
}

test('a damaged document is fetched again by the sweep after doctor --repair', async () => {
  const before = await copied('b');
  await damage('b');
  await assert.rejects(mirror.document('b'), /damaged in the store/);
  const { store } = mirror.world();
  const { moved, file, left } = await repairRecords(store, mirror.dataDir, Date.now());
  assert.deepEqual([moved, left.count], [1, 0]);
  assert.match(
    readFileSync(file ?? '', 'utf8'),
    /^\{"tenantId":"[^"]+","index":"identities","id":"b"/,
  );
  assert.equal(await copied('b'), null);
  const { outcome, counts } = await mirror.run({ sweepEveryMs: 0 });
  assert.deepEqual([outcome, counts.created, counts.deleted], ['complete', 1, 0]);
  assert.deepEqual(await copied('b'), before);
});

test('a damaged document is fetched again by a full copy, without a repair', async () => {
  const before = await copied('b');
  await damage('b');
  const { outcome } = await mirror.run({ full: true });
  assert.equal(outcome, 'complete');
  assert.deepEqual(await copied('b'), before);
});
