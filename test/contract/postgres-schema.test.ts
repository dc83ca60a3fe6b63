// suite: slow
// The comparison of the schema on PostgreSQL: src/store/sqlite/sqlite-schema.test.ts for SQLite, and
// what only PostgreSQL has.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { MIGRATIONS, migrate } from '../../src/store/migrate.ts';
import { PostgresTransaction } from '../../src/store/postgres/postgres-driver.ts';
import { PostgresPool } from '../../src/store/postgres/postgres-pool.ts';
import { postgresSchemaFaults } from '../../src/store/postgres/postgres-schema.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { SqlExecutor } from '../../src/store/sql/executor.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';

let postgres: Postgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const addressOf = (url: string) => ({ url, waitMs: 20_000, statementMs: 60_000 });
const faultsAt = (url: string) => postgresSchemaFaults(addressOf(url));

async function run(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const rows: unknown[] = [];
    for (const statement of statements) rows.push(...(await client.query(statement)).rows);
    return rows;
  } finally {
    await client.end();
  }
}

const LEAK = `create function leak() returns trigger language plpgsql as
  $$ begin raise log '%', new; return new; end $$`;

const CHANGES: Readonly<
  Record<string, readonly [sql: readonly string[], faults: readonly RegExp[]]>
> = {
  'nothing that migrations make': [[], []],
  'what another program has in the schema': [
    [
      LEAK,
      'create table other (a text primary key, b int unique check (b > 0))',
      'create view others as select * from other',
      'create trigger other_new after insert on other for each row execute function leak()',
      'create rule other_rule as on delete to other do instead nothing',
      'create view of_an_extension as select name from tenant',
      'alter extension plpgsql add view of_an_extension',
    ],
    [],
  ],
  'a trigger that only logs': [
    [LEAK, 'create trigger spy after insert on document for each row execute function leak()'],
    [/^the trigger spy of the table document does not belong there: drop it$/],
  ],
  'a rule': [
    ['create rule quiet as on update to auth_user do instead nothing'],
    [/^the rule quiet of the table auth_user does not belong there: drop it$/],
  ],
  'views of the tables, in any schema': [
    [
      'create view names as select name, uid from tenant, auth_user',
      'create schema elsewhere',
      'create materialized view elsewhere.counts as select count(*) from public.document',
    ],
    [
      /^the view elsewhere\.counts does not belong there: drop it$/,
      /^the view names does not belong there: drop it$/,
    ],
  ],
  'indexes that were added, dropped or changed': [
    [
      'create unique index one_name on profile (tenant_id, name)',
      'drop index saved_search_owner',
      'drop index search_run_open',
      'create index search_run_open on search_run (open_at, tenant_id, number)',
    ],
    [
      /^the index one_name of the table profile does not belong there: drop it$/,
      /^the index saved_search_owner of the table saved_search is missing: run CREATE INDEX saved_search_owner ON saved_search USING btree \(tenant_id, owner_id, created, id\)$/,
      /^the index search_run_open of the table search_run was changed: drop it, then run CREATE INDEX search_run_open ON search_run .* WHERE open_at IS NOT NULL$/,
    ],
  ],
  'a key that is no longer unique': [
    ['alter table mirror_item drop constraint mirror_item_key'],
    [/^the index mirror_item_key of the table mirror_item is missing: run CREATE UNIQUE INDEX/],
  ],
  'a table that was dropped with its indexes': [
    ['drop table profile_value'],
    [/^the table profile_value is missing: restore a backup$/],
  ],
  'columns that were added, dropped or changed': [
    [
      "alter table mirror add column extra text default 'x'",
      'alter table audit_head drop column carried',
      'alter table job alter column status drop not null',
      "alter table auth_user alter column uid set default 'x'",
      'alter table custom_capability alter column capability type text collate "en-US-x-icu"',
    ],
    [
      /^the column capability of the table custom_capability was changed: restore a backup$/,
      /^the column carried of the table audit_head is missing: restore a backup$/,
      /^the column extra of the table mirror does not belong there: drop it$/,
      /^the column status of the table job was changed: restore a backup$/,
      /^the column uid of the table auth_user was changed: restore a backup$/,
    ],
  ],
  'rows that are hidden, lost in a crash, or added by a table that inherits': [
    [
      'alter table job enable row level security',
      'create policy few on job using (false)',
      'alter table mirror set unlogged',
      'create table heir () inherits (audit_head)',
    ],
    [
      /^the policy few of the table job does not belong there: drop it$/,
      /^the table audit_head was changed/,
      /^the table job was changed/,
      /^the table mirror was changed/,
    ],
  ],
  'constraints, also of another table that refers to one': [
    [
      "alter table job add constraint refusing check (status <> 'x')",
      'create table other (id text references tenant (id))',
    ],
    [
      /^the constraint other\.other_id_fkey of the table tenant does not belong there: drop it$/,
      /^the constraint refusing of the table job does not belong there: drop it$/,
    ],
  ],
};
for (const [at, [name, [statements, expected]]] of Object.entries(CHANGES).entries()) {
  test(`finds ${name}${expected.length === 0 ? ' to be no fault' : ''}`, async () => {
    const url = await postgres.migrated(`schema_${at}`);
    await run(url, ...statements);
    const faults = [...((await faultsAt(url)) ?? assert.fail())].sort();
    assert.equal(faults.length, expected.length, faults.join('\n'));
    for (const [at, fault] of expected.entries()) assert.match(faults[at] ?? '', fault);
  });
}

test('changes nothing, and leaves no schema behind', async () => {
  const url = await postgres.migrated('unchanged');
  const objects = `select relnamespace::regnamespace::text as schema, relname from pg_class
    where relnamespace::regnamespace::text not like 'pg\\_%' order by 1, 2`;
  const [before, schemas] = [await run(url, objects), await run(url, 'select * from pg_namespace')];
  await faultsAt(url);
  assert.deepEqual(await run(url, objects), before);
  assert.deepEqual(await run(url, 'select * from pg_namespace'), schemas);
});

test('compares a store in another schema, and not what others have beside it', async () => {
  const plain = await postgres.database('paths');
  await run(plain, 'create schema "Own schema"', 'create view public.job as select 1 as one');
  const url = `${plain}?options=${encodeURIComponent('-c search_path="Own\\ schema",public')}`;
  await (await openPostgresStore({ ...addressOf(url), poolSize: 1 })).close();
  assert.deepEqual(await faultsAt(url), []);
  await run(url, 'drop index saved_search_owner');
  assert.equal((await faultsAt(url))?.length, 1);
});

test('compares a store of an earlier version with its migrations, and no store with nothing', async () => {
  const url = await postgres.database('earlier');
  assert.deepEqual(await faultsAt(url), []);
  const pool = new PostgresPool(addressOf(url), 1);
  const { transaction } = await PostgresTransaction.begin(pool);
  const executor = new SqlExecutor('postgres', transaction.connection);
  await migrate('postgres', executor, MIGRATIONS.slice(0, 7));
  await transaction.commit();
  await pool.end();
  assert.deepEqual(await faultsAt(url), []);
  await run(url, 'drop index profile_by_id');
  assert.equal((await faultsAt(url))?.length, 1);
});

test('does not compare for a user who may not create a schema', async () => {
  const url = await postgres.migrated('weak');
  await run(url, 'create role weak login', 'grant select on all tables in schema public to weak');
  assert.equal(await faultsAt(url.replace('cardea@', 'weak@')), null);
});
