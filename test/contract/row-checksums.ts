// The contract of records that are no documents for every store: a row whose values are not those that
// were written is found, never read as true, and never covered up.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SavedSearch } from '../../src/service/ports/saved-search-records.ts';
import type { Store } from '../../src/service/ports/store.ts';
import type { StoredDocumentKey } from '../../src/service/ports/stored-document.ts';
import {
  CHECKED_NAMES,
  CHECKED_TABLES,
  type CheckedTableName,
} from '../../src/store/sql/row-checksum.ts';
import { isThorough } from '../support/case-count.ts';
import type { AuditDatabase } from './audit-trail.ts';
import { ACME, authUser } from './store-records.ts';

type Run = AuditDatabase['run'];

/** Rows that must stay although they are damaged: without them somebody might have rights again. */
const KEPT: readonly string[] = ['tenant', 'absent_user', 'revoked_token'];

/** Registers the tests. */
export function rowChecksumContract(
  kind: string,
  open: (name: string) => Promise<Pick<AuditDatabase, 'store' | 'run'>>,
): void {
  describe(`damaged records on ${kind}`, () => {
    for (const table of CHECKED_NAMES) {
      test(`a damaged row of ${table} is found, and others are not`, async () => {
        const { store, run } = await open(`rows_${table}`);
        await addRow(run, table, '1');
        await addRow(run, table, '2');
        assert.deepEqual(await namesOf(store), []);
        const { key, columns } = CHECKED_TABLES[table];
        const contents = columns.filter((name) => !(key as readonly string[]).includes(name));
        for (const [at, column] of contents.slice(0, isThorough() ? undefined : 2).entries()) {
          await damage(run, table, '1', column, String(at + 3));
          const [found, ...more] = (await store.read.documentDamage()).documents;
          assert.ok(found !== undefined && more.length === 0, column);
          assert.equal(found.index, table);
          // A writer of one column does not cover up that another one is damaged.
          const [other = column] = contents.filter((name) => name !== column);
          await run(`update ${table} set "${other}" = "${other}" where ${whereOf(table)}`, '1');
          assert.equal((await namesOf(store)).length, 1, column);
          if (!KEPT.includes(table)) continue;
          assert.equal(await take(store, found), null);
          await run(
            `update ${table} set checksum = null, "${column}" = '1' where ${whereOf(table)}`,
            '1',
          );
        }
        if (!KEPT.includes(table)) {
          const [found] = (await store.read.documentDamage()).documents;
          const taken = await take(store, found as StoredDocumentKey);
          assert.match(Buffer.from(taken?.root ?? []).toString(), /^\{".*\}$/);
        }
        assert.deepEqual(await namesOf(store), []);
        await store.close();
      });
    }

    test('a damaged record is refused by name, left out of lists, and mended by writing it', async () => {
      const { store, run } = await open('rows_read');
      const { read } = store;
      await store.write(async (records) => {
        await records.addTenant(ACME);
        await records.putAuthUsers(ACME.id, [authUser('1', {}), authUser('2', {})]);
        for (const id of ['1', '2']) await records.putSavedSearch(ACME.id, savedSearch(id));
      });
      const page = { offset: 0, limit: 10 };
      const all = { ownerId: null, readerId: null };
      const searches = async () =>
        (await read.savedSearches(ACME.id, all, page)).map((search) => search.id);
      assert.deepEqual(await read.savedSearch(ACME.id, '1'), savedSearch('1'));
      await damage(run, 'saved_search', '1', 'details', JSON.stringify({ name: 'False' }));
      await assert.rejects(read.savedSearch(ACME.id, '1'), {
        code: 'unavailable',
        message: /^The saved search "1" is damaged in the store: /,
      });
      assert.deepEqual(await searches(), ['2']);
      await store.write((records) => records.putSavedSearch(ACME.id, savedSearch('1')));
      assert.deepEqual(await searches(), ['1', '2']);
      assert.deepEqual(await read.savedSearch(ACME.id, '1'), savedSearch('1'));

      await damage(run, 'auth_user', '2', 'capabilities', '["ORG_ADMIN"]');
      for (const reading of [
        () => read.authUser(ACME.id, '2'),
        () => read.authUserByUid(ACME.id, 'uid-2'),
        () => read.userStatus(ACME.id, '2'),
      ]) {
        await assert.rejects(reading, {
          code: 'unavailable',
          message: /^The auth user "2" is damaged in the store: /,
        });
      }
      assert.deepEqual(
        (await read.authUserPage(ACME.id, '', 10)).map(({ id }) => id),
        ['1'],
      );
      await store.write((records) => records.putAuthUsers(ACME.id, [authUser('2', {})]));
      assert.deepEqual(await read.authUser(ACME.id, '2'), authUser('2', {}));
      await store.close();
    });
  });
}

function savedSearch(id: string): SavedSearch {
  return {
    ...{ id, ownerId: 'o', created: `2026-01-0${id}T00:00:00.000Z`, shared: false },
    name: `Search ${id}`,
  } as SavedSearch;
}

const namesOf = async (store: Store) =>
  (await store.read.documentDamage()).documents.map(({ index, id }) => `${index} ${id}`);

const take = (store: Store, key: StoredDocumentKey) =>
  store.write((records) => records.takeDamagedDocument(key));

/** A condition on the key: each of its columns has the value. */
function whereOf(table: CheckedTableName): string {
  const [first = '', ...others] = CHECKED_TABLES[table].key;
  if (table === 'saved_search' || table === 'auth_user') return 'id = ?';
  return [`"${first}" = ?`, ...others.map((name) => `"${name}" = "${first}"`)]
    .join(' and ')
    .replace('"position" = "tenant_id"', `cast("position" as text) = "tenant_id"`);
}

async function addRow(run: Run, table: CheckedTableName, value: string): Promise<void> {
  const { columns } = CHECKED_TABLES[table];
  const names = columns.map((name) => `"${name}"`).join(', ');
  const slots = columns.map(() => '?').join(', ');
  await run(`insert into ${table} (${names}) values (${slots})`, ...columns.map(() => value));
}

/** Changes a column without the trigger noticing: the checksum stays as it was. */
async function damage(
  run: Run,
  table: CheckedTableName,
  id: string,
  column: string,
  value: string,
): Promise<void> {
  const where = whereOf(table);
  await run(`update ${table} set checksum = 'x' || checksum where ${where}`, id);
  await run(`update ${table} set "${column}" = ? where ${where}`, value, id);
  await run(`update ${table} set checksum = substr(checksum, 2) where ${where}`, id);
}
