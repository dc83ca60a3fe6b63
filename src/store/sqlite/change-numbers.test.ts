// Numbers of the change sequence that a damaged file made impossible: the store opens, takes writes,
// and every document is fed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ACME } from '../../../test/contract/store-records.ts';
import { openConnection } from './sqlite-driver.ts';
import { openSqliteStore } from './sqlite-store.ts';

const role = (id: string) => {
  const root = new TextEncoder().encode(`{"id":"${id}"}`);
  return { index: 'roles', id, root, nested: new Uint8Array(0) } as const;
};

const DAMAGE: Readonly<Record<string, string>> = {
  'a counter before the last change':
    "update sequence_counter set value = 1 where name = 'document'",
  'a counter that is missing': "delete from sequence_counter where name = 'document'",
  'a counter beyond all integers': 'update sequence_counter set value = 9007199254740993',
  'a counter that is no number': "update sequence_counter set value = 'x'",
  'deletions purged beyond the last change':
    "update sequence_counter set value = 99 where name = 'purged'",
  'no purged deletions': "delete from sequence_counter where name = 'purged'",
  'documents with negative numbers': 'update document set sequence = -sequence',
  'a document far beyond the counter': "update document set sequence = 999999 where id = 'b'",
  'a document beyond all integers':
    "update document set sequence = 9007199254740993 where id = 'b'",
};

for (const [damage, statement] of Object.entries(DAMAGE)) {
  test(`a store with ${damage} takes writes and feeds every document`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cardea-numbers-'));
    const path = join(folder, 'cardea.db');
    try {
      const made = await openSqliteStore({ path });
      await made.write(async (records) => {
        await records.addTenant(ACME);
        await records.putDocuments(ACME.id, [role('a'), role('b'), role('c')]);
      });
      await made.close();
      const connection = await openConnection(path, 1_000);
      connection.exec(statement);
      connection.close();
      const store = await openSqliteStore({ path });
      await store.write((records) => records.putDocuments(ACME.id, [role('d')]));
      const changes = await store.read.changesAfter(0, 10);
      assert.deepEqual(changes.map(({ id }) => id).sort(), ['a', 'b', 'c', 'd']);
      const last = await store.read.lastSequence();
      assert.equal(changes.at(-1)?.id, 'd');
      assert.equal(changes.at(-1)?.sequence, last);
      assert.ok((await store.read.purgedSequence()) <= last);
      await store.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test('a store whose log is cut off while it is open is unavailable to others, not defective', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-numbers-'));
  const path = join(folder, 'cardea.db');
  try {
    const store = await openSqliteStore({ path });
    await store.write((records) => records.addTenant(ACME));
    const connection = await openConnection(path, 1_000);
    connection.exec('pragma wal_checkpoint(truncate)');
    connection.close();
    // The log has the numbers, and not the schema, which the migrations read.
    await store.write((records) => records.putDocuments(ACME.id, [role('a')]));
    truncateSync(`${path}-wal`);
    await assert.rejects(openSqliteStore({ path }), { code: 'unavailable' });
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
