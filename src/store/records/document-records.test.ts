import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredDocument } from '../../service/ports/stored-document.ts';
import { SqlExecutor } from '../executor.ts';
import { migrate } from '../migrate.ts';
import { openConnection, type SqliteConnection } from '../sqlite/sqlite-driver.ts';
import { type DocumentRecords, documentRecords } from './document-records.ts';

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

async function withRecords(
  work: (records: DocumentRecords, connection: SqliteConnection) => Promise<void>,
): Promise<void> {
  const connection = await openConnection(':memory:', 0);
  try {
    const executor = new SqlExecutor('sqlite', connection);
    await migrate('sqlite', executor);
    await work(documentRecords(executor), connection);
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
    connection.run('update document set root = ?, nested = ?', [document.root, document.nested]);
    assert.deepEqual(text(await records.document('t', 'identities', 'old')), text(document));
    assert.deepEqual(await records.putDocuments('t', [document]), ['unchanged']);
  }));

test('names a damaged document, which can be deleted and written again', () =>
  withRecords(async (records, connection) => {
    await records.putDocuments('t', [person('a'), person('b')]);
    const damage = Buffer.from([1, 9, 0, 0, 0, 9, 0, 0, 0, 0xff]);
    connection.run("update document set root = ? where id = 'b'", [damage]);
    const error = {
      code: 'internal',
      message: /^Document "b" of identities is damaged in the store: delete it and import it again/,
    };
    await assert.rejects(records.document('t', 'identities', 'b'), error);
    await assert.rejects(records.changesAfter(0, 10), error);
    assert.deepEqual(text(await records.document('t', 'identities', 'a')), text(person('a')));
    await records.deleteDocument('t', 'identities', 'b');
    await records.putDocuments('t', [person('b')]);
    assert.deepEqual(text(await records.document('t', 'identities', 'b')), text(person('b')));
  }));
