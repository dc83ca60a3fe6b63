// The contract of home months: the store records the month of an event or account activity when it is
// first written, and keeps it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Store } from '../../src/identity/ports/store.ts';
import type { StoredDocument } from '../../src/identity/ports/stored-document.ts';
import type { IndexName } from '../../src/query/query.ts';
import type { AuditDatabase } from './audit-trail.ts';
import { ACME, encoder } from './store-records.ts';

/** A store, and statements below it. */
export type OpenBelow = (name: string) => Promise<Pick<AuditDatabase, 'store' | 'run'>>;

function dated(id: string, created: string | undefined, index: IndexName = 'events') {
  const root = encoder.encode(JSON.stringify({ id, created }));
  return { index, id, root, nested: new Uint8Array(0) } satisfies StoredDocument;
}

export function monthContract(kind: string, open: OpenBelow): void {
  describe(`home months: ${kind}`, () => {
    let store: Store;
    let run: AuditDatabase['run'];
    before(async () => {
      ({ store, run } = await open('months'));
      await store.write((records) => records.addTenant(ACME));
    });
    after(() => store.close());

    const put = (...documents: readonly StoredDocument[]) =>
      store.write((records) => records.putDocuments(ACME.id, documents));
    const remove = (id: string) =>
      store.write((records) => records.deleteDocument(ACME.id, 'events', id));
    /** Removes the months, as in a database of a version that did not record them. */
    const forgetMonths = () => run('update document set month = null');
    /** The home month of the last change of a document. */
    async function monthOf(id: string): Promise<string | undefined> {
      const changes = await store.read.changesAfter(0, 1_000);
      const change = changes.find((one) => one.id === id);
      assert.ok(change !== undefined);
      return change.month;
    }

    test('are recorded for events and account activities', async () => {
      await put(
        dated('a', '2026-01-31T23:00:00Z'),
        dated('b', undefined),
        dated('c', '2026-02-01T00:00:00Z', 'accountactivities'),
        dated('d', '2026-02-01T00:00:00Z', 'identities'),
      );
      const months = await Promise.all(['a', 'b', 'c', 'd'].map(monthOf));
      assert.deepEqual(months, ['2026-01', 'other', '2026-02', undefined]);
    });

    test('stay when the date changes, and through a deletion', async () => {
      await put(dated('kept', '2026-01-01T00:00:00Z'));
      await put(dated('kept', '2026-05-01T00:00:00Z'));
      assert.equal(await monthOf('kept'), '2026-01');
      await remove('kept');
      assert.equal(await monthOf('kept'), '2026-01');
      await put(dated('kept', '2026-07-01T00:00:00Z'));
      assert.equal(await monthOf('kept'), '2026-01');
    });

    test('of a document without one are those of its content before the next write', async () => {
      await put(dated('changed', '2026-03-01T00:00:00Z'), dated('gone', '2026-04-01T00:00:00Z'));
      await put(dated('purged', '2026-05-01T00:00:00Z'));
      await forgetMonths();
      assert.equal(await monthOf('changed'), undefined);
      await put(dated('changed', '2026-09-01T00:00:00Z'));
      await remove('gone');
      const last = await store.read.lastSequence();
      await store.write((r) => r.deleteUnchangedDocuments(ACME.id, 'events', ['purged'], last));
      const months = await Promise.all(['changed', 'gone', 'purged'].map(monthOf));
      assert.deepEqual(months, ['2026-03', '2026-04', '2026-05']);
    });

    test('are unknown for a damaged document, which can be deleted', async () => {
      await put(dated('damaged', '2026-03-01T00:00:00Z'));
      await forgetMonths();
      await run("update document set root = ? where id = 'damaged'", Buffer.from([1, 2]));
      await remove('damaged');
      assert.equal(await monthOf('damaged'), undefined);
    });

    test('of a deleted document without one are those of the next document', async () => {
      await put(dated('again', '2026-03-01T00:00:00Z'));
      await remove('again');
      await forgetMonths();
      await put(dated('again', '2026-08-01T00:00:00Z'));
      assert.equal(await monthOf('again'), '2026-08');
    });

    test('stay through the restore of a snapshot', async () => {
      await put(dated('restored', '2026-01-01T00:00:00Z'));
      const snapshot = await store.read.tenantSnapshot(ACME.id, 1_000);
      await remove('restored');
      await put(dated('restored', '2026-02-01T00:00:00Z'), dated('new', '2026-03-01T00:00:00Z'));
      await store.write((records) => records.restoreTenant(snapshot));
      assert.deepEqual([await monthOf('restored'), await monthOf('new')], ['2026-01', '2026-03']);
    });
  });
}
