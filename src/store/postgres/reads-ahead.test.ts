import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FirstReads } from '../../service/ports/store.ts';
import type { SqlConnection } from '../executor.ts';
import type { SqlValue } from '../statement.ts';
import { ReadsAhead } from './reads-ahead.ts';
import { Selections } from './selections.ts';

const TENANT = 't';
const READ = 'select * from "auth_user" where "tenant_id" = $1 and "id" = $2';
const firstReads: FirstReads = (records) => [records.authUser(TENANT, 'ada')];

/** A connection that counts the reads of Ada, and fails on demand. */
class Database {
  reads = 0;
  failure: Error | null = null;
  readonly changes: string[] = [];
  readonly connection: SqlConnection = {
    all: (text, values) => this.#rows(text, values),
    allOnce: (text, values) => this.#rows(text, values),
    scan: (text, values) => this.#rows(text, values),
    get: async (text, values) => (await this.#rows(text, values))[0],
    each: (text, list) => Promise.all(list.map((values) => this.#rows(text, values))),
    post: (text, list) => Promise.all(list.map((values) => this.#rows(text, values))),
    run: async (text, values) => (await this.#rows(text, values)).length,
  };

  async #rows(text: string, values: readonly SqlValue[]): Promise<readonly object[]> {
    if (text !== READ) {
      this.changes.push(text);
      return [];
    }
    const number = ++this.reads;
    if (this.failure !== null) throw this.failure;
    return [{ id: values[1], number }];
  }
}

function sentAhead() {
  const database = new Database();
  const reads = new ReadsAhead(database.connection, new Selections());
  reads.send([firstReads, firstReads]);
  const readAda = () => reads.connection.get(READ, [TENANT, 'ada']);
  return { database, reads, readAda };
}

test('reads each row once, and gives it to every write that asks for it', async () => {
  const { database, readAda, reads } = sentAhead();
  assert.equal(database.reads, 1);
  assert.deepEqual(await readAda(), { id: 'ada', number: 1 });
  assert.deepEqual(await reads.connection.all(READ, [TENANT, 'ada']), [{ id: 'ada', number: 1 }]);
  assert.equal(database.reads, 1);
  assert.deepEqual(await reads.connection.get(READ, [TENANT, 'bob']), { id: 'bob', number: 2 });
});

const UPDATE = 'update "auth_user" set "capabilities" = $1 where "tenant_id" = $2 and "id" = $3';
const UPSERT =
  'insert into "auth_user" ("tenant_id", "id") values ($1, $2) on conflict ("tenant_id", "id") do update set "uid" = "excluded"."uid"';

const changes: readonly (readonly [
  what: string,
  text: string,
  values: readonly SqlValue[],
  isReadAgain: boolean,
])[] = [
  ['its row', UPDATE, ['[]', TENANT, 'ada'], true],
  ['another row', UPDATE, ['[]', TENANT, 'bob'], false],
  ['the row of another tenant', UPDATE, ['[]', 'other', 'ada'], false],
  ['many rows', 'update "auth_user" set "uid" = $1 where "tenant_id" = $2', ['', TENANT], true],
  [
    'an unknown set of rows',
    'update "auth_user" set "uid" = $1 where "tenant_id" = $2 and "id" > $3',
    ['', TENANT, 'bob'],
    true,
  ],
  [
    'one of two rows',
    'update "auth_user" set "uid" = $1 where "tenant_id" = $2 and "id" = $3 or "id" = $4',
    ['', TENANT, 'bob', 'ada'],
    true,
  ],
  [
    'a row that gets its id',
    'update "auth_user" set "id" = $1 where "tenant_id" = $2 and "id" = $3',
    ['ada', TENANT, 'bob'],
    true,
  ],
  ['an inserted row', UPSERT, [TENANT, 'bob'], true],
  ['a deleted row', 'delete from "auth_user" where "uid" = $1', ['x'], true],
  ['another table', 'delete from "capability_holder" where "tenant_id" = $1', [TENANT], false],
  ['what it does not say', 'with "x" as (delete from "auth_user") select 1', [], true],
  ['nothing', 'select "id" from "auth_user" where "tenant_id" = $1', [TENANT], false],
];

for (const [what, text, values, isReadAgain] of changes) {
  test(`reads ${isReadAgain ? 'again' : 'nothing again'} after a change of ${what}`, async () => {
    for (const method of ['run', 'all', 'allOnce'] as const) {
      const { database, reads, readAda } = sentAhead();
      await reads.connection[method](text, values);
      await readAda();
      assert.equal(database.reads, isReadAgain ? 2 : 1, method);
    }
    for (const method of ['each', 'post'] as const) {
      const { database, reads, readAda } = sentAhead();
      await reads.connection[method](text, [values]);
      await readAda();
      assert.equal(database.reads, isReadAgain ? 2 : 1, method);
    }
  });
}

test('compares ids as the database stores them', async () => {
  const database = new Database();
  const reads = new ReadsAhead(database.connection, new Selections());
  reads.send([(records) => [records.authUser(TENANT, '\ud800')]]);
  await reads.connection.run(UPDATE, ['[]', TENANT, '\ud801']);
  await reads.connection.get(READ, [TENANT, '\ud800']);
  assert.equal(database.reads, 2);
});

test('reads again when the read ahead has failed', async () => {
  const database = new Database();
  database.failure = new Error('void');
  const reads = new ReadsAhead(database.connection, new Selections());
  reads.send([firstReads]);
  await assert.rejects(async () => reads.connection.get(READ, [TENANT, 'ada']), /void/);
  database.failure = null;
  assert.deepEqual(await reads.connection.get(READ, [TENANT, 'ada']), { id: 'ada', number: 3 });
});

test('ignores values that no database holds', async () => {
  const database = new Database();
  const reads = new ReadsAhead(database.connection, new Selections());
  reads.send([(records) => [records.authUser(TENANT, 'a\0b')]]);
  assert.equal(database.reads, 0);
});
