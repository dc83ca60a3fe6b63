import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { writeEmptyStore } from '../../../test/support/empty-store.ts';
import { openConnection } from './sqlite-driver.ts';
import { sqliteSchemaFaults } from './sqlite-schema.ts';
import { openSqliteStore } from './sqlite-store.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardea-schema-'));
  path = join(folder, 'cardea.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(sql: string): Promise<void> {
  const connection = await openConnection(path, 1_000);
  connection.exec(sql);
  connection.close();
}

const LOGGING = `create table log (text text);
  create trigger spy after insert on document begin insert into log values (new.id); end`;

const CHANGES: Readonly<
  Record<string, readonly [sql: string, faults: readonly (string | RegExp)[]]>
> = {
  'nothing that migrations make': ['', []],
  'a table of another program, and what SQLite keeps for itself': [
    `create table other (a text primary key, b integer unique); create index other_b on other (b);
       create trigger other_new after insert on other begin select 1; end; analyze`,
    [],
  ],
  'an index that was created again in another spelling': [
    `drop index saved_search_owner;
       create index saved_search_owner\n on SAVED_SEARCH(tenant_id,"owner_id",created,id)`,
    [],
  ],
  'a trigger that only logs': [
    LOGGING,
    ['the trigger spy of the table document does not belong there: drop it'],
  ],
  'a view': [
    'create view names as select name from tenant',
    ['the view names does not belong there: drop it'],
  ],
  'an index that was added': [
    'create unique index one_name on profile (tenant_id, name)',
    ['the index one_name of the table profile does not belong there: drop it'],
  ],
  'an index that was dropped': [
    'drop index saved_search_owner',
    [
      /^the index saved_search_owner of the table saved_search is missing: run CREATE INDEX "saved_search_owner" on "saved_search" \("tenant_id", "owner_id", "created", "id"\)$/,
    ],
  ],
  'an index of other rows': [
    'drop index search_run_open; create index search_run_open on search_run (open_at, tenant_id, number)',
    [
      /^the index search_run_open of the table search_run was changed: drop it, then run CREATE INDEX/,
    ],
  ],
  'a table that was dropped with its indexes': [
    'drop table profile_value',
    ['the table profile_value is missing: restore a backup'],
  ],
  'a table that was renamed behind a view of its name': [
    `alter table mirror_item rename to hidden; create view mirror_item as select * from hidden`,
    [
      'the table mirror_item is missing: restore a backup',
      'the view mirror_item does not belong there: drop it',
    ],
  ],
  'a column that was added, and one that was dropped': [
    'alter table mirror add column extra text; alter table audit_head drop column carried',
    [
      'the column carried of the table audit_head is missing: restore a backup',
      'the column extra of the table mirror does not belong there: drop it',
    ],
  ],
  'a column of another type': [
    `alter table audit_export drop column owner; alter table audit_export add column owner text`,
    ['the column owner of the table audit_export was changed: restore a backup'],
  ],
  'a table with another constraint': [
    `drop table event_purge;
       create table event_purge (tenant_id text not null primary key, purged_before integer not null,
         check (purged_before > 0))`,
    ['the table event_purge was changed: restore a backup'],
  ],
};
for (const [name, [sql, expected]] of Object.entries(CHANGES)) {
  test(`finds ${name}${expected.length === 0 ? ' to be no fault' : ''}`, async () => {
    await writeEmptyStore(path);
    await run(sql);
    const faults = await sqliteSchemaFaults(path);
    assert.equal(faults.length, expected.length, faults.join('\n'));
    for (const [at, fault] of expected.entries()) {
      if (typeof fault === 'string') assert.equal(faults[at], fault);
      else assert.match(faults[at] ?? '', fault);
    }
  });
}

test('a store of an earlier version is compared with its migrations, and with all after an upgrade', async () => {
  await run(readFileSync('test/data/earlier-version/store.sql', 'utf8'));
  assert.deepEqual(await sqliteSchemaFaults(path), []);
  await run(LOGGING);
  assert.equal((await sqliteSchemaFaults(path)).length, 1);
  await run('drop trigger spy');
  await (await openSqliteStore({ path })).close();
  assert.deepEqual(await sqliteSchemaFaults(path), []);
});

test('a store of a newer version is not compared', async () => {
  await writeEmptyStore(path);
  await run("create table new (a text); insert into schema_migration values ('9999-new')");
  await assert.rejects(sqliteSchemaFaults(path), /newer version \(step 9999-new\)/);
});

test('a file without a store has no faults', async () => {
  await run('create table other (a text)');
  assert.deepEqual(await sqliteSchemaFaults(path), []);
});
