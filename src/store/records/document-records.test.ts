import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredDocument } from '../../service/ports/stored-document.ts';
import { migrate } from '../migrate.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { openConnection, type SqliteConnection } from '../sqlite/sqlite-driver.ts';
import { documentDamage } from './document-damage.ts';
import { documentRecords } from './document-records.ts';

const person = (id: string): StoredDocument => {
  const access = Array.from({ length: 10 }, (_, n) => `{"id":"${id}-${n}","type":"ENTITLEMENT"}`);
  return {
    ...{ index: 'identities', id, root: Buffer.from(`{"id":"${id}","name":"${id}"}`) },
    nested: Buffer.from(`"access":[${access.join()}]`),
  };
};
const decoder = new TextDecoder();
const text = (document: StoredDocument | null) =>
  document && [document.id, decoder.decode(document.root), decoder.decode(document.nested)];

const recordsOf = (executor: SqlExecutor) => ({
  ...documentRecords(executor),
  ...documentDamage(executor),
});

async function withRecords(
  work: (records: ReturnType<typeof recordsOf>, connection: SqliteConnection) => Promise<void>,
): Promise<void> {
  const connection = await openConnection(':memory:', 0);
  try {
    const executor = new SqlExecutor('sqlite', connection);
    await migrate('sqlite', executor);
    await work(recordsOf(executor), connection);
  } finally {
    connection.close();
  }
}

test('stores documents in less than two thirds of their bytes', () =>
  withRecords(async (records, connection) => {
    const people = Array.from({ length: 200 }, (_, n) => person(`p${n}`));
    await records.putDocuments('t', people);
    const bytes = people.reduce((sum, { root, nested }) => sum + root.length + nested.length, 0);
    const row = connection.get(
      'select sum(length(root) + coalesce(length(nested), 0)) as bytes from document',
      [],
    );
    assert.ok(Number(row?.['bytes']) < (2 / 3) * bytes, `${row?.['bytes']} of ${bytes} bytes`);
    const changes = await records.changesAfter(0, 1_000);
    assert.deepEqual(
      changes.map(({ document }) => text(document)),
      people.map(text),
    );
  }));

test('reads documents of earlier versions, and finds them unchanged', () =>
  withRecords(async (records, connection) => {
    const document = person('old');
    await records.putDocuments('t', [document]);
    connection.run('update document set root = ?, nested = ?, hash = substr(hash, 1, 16)', [
      document.root,
      document.nested,
    ]);
    assert.deepEqual(text(await records.document('t', 'identities', 'old')), text(document));
    assert.deepEqual(await records.putDocuments('t', [document]), ['unchanged']);
  }));

test('sets a damaged document aside, and writing it again mends it', () =>
  withRecords(async (records, connection) => {
    const people = ['a', 'b', 'c'].map(person);
    await records.putDocuments('t', people);
    const key = { tenantId: 't', index: 'identities', id: 'b' } as const;
    const damages = [
      "root = x'01090000000900000000ff'",
      "root = cast(replace(root, 'b', 'x') as blob), hash = substr(hash, 1, 16)",
      'root = null',
      'hash = null',
      "hash = substr(hash, 1, 19) || x'00'",
    ];
    for (const damage of damages) {
      connection.run(`update document set ${damage} where id = 'b'`, []);
      assert.deepEqual(await records.documentDamage(), { count: 1, documents: [key] }, damage);
      await assert.rejects(records.document('t', 'identities', 'b'), {
        code: 'unavailable',
        message:
          'Document "b" of identities is damaged in the store: import it again, or restore a backup.',
      });
      const setAside: string[] = [];
      const note = (id: string) => setAside.push(id);
      const byId = await records.documentsById('t', 'identities', ['a', 'b', 'c'], note);
      assert.deepEqual(
        byId.map(({ id }) => id),
        ['a', 'c'],
        damage,
      );
      const changes = await records.changesAfter(0, 10);
      assert.deepEqual(
        changes.map(({ id, document, damaged }) => [id, document !== null, damaged]).sort(),
        [
          ['a', true, undefined],
          ['b', false, true],
          ['c', true, undefined],
        ],
        damage,
      );
      if (damage !== 'hash = null') {
        const page = await records.documentPage('t', 'identities', '', 2, note);
        assert.deepEqual(
          page.map(({ id }) => id),
          ['a', 'c'],
          damage,
        );
        assert.deepEqual(setAside, ['b', 'b'], damage);
        assert.deepEqual(
          await records.putDocuments('t', people),
          ['unchanged', 'updated', 'unchanged'],
          damage,
        );
      } else
        assert.deepEqual(await records.putDocuments('t', people), [
          'unchanged',
          'created',
          'unchanged',
        ]);
      assert.deepEqual(await records.documentDamage(), { count: 0, documents: [] });
      assert.deepEqual(text(await records.document('t', 'identities', 'b')), text(person('b')));
    }
  }));

test('takes a damaged document out of the store with its bytes, and no other', () =>
  withRecords(async (records, connection) => {
    await records.putDocuments('t', ['a', 'b'].map(person));
    connection.run("update document set root = x'ff' where id = 'b'", []);
    const take = (id: string) =>
      records.takeDamagedDocument({ tenantId: 't', index: 'identities', id });
    assert.equal(await take('a'), null);
    assert.deepEqual([...((await take('b'))?.root ?? [])], [0xff]);
    assert.equal(await records.document('t', 'identities', 'b'), null);
    assert.deepEqual((await records.documentCounts('t')).identities, 1);
    assert.deepEqual(await records.putDocuments('t', [person('b')]), ['created']);
  }));
