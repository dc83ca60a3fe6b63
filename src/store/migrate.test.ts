import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SqlExecutor } from './executor.ts';
import { MIGRATIONS, migrate as migrateIn } from './migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { openConnection, type SqliteConnection } from './sqlite-driver.ts';

const step = (name: string, table: string): Migration => ({
  name,
  up: (db) => [db.schema.createTable(table).addColumn('a', 'text')],
});

const migrate = (connection: SqliteConnection, migrations: readonly Migration[]) =>
  migrateIn('sqlite', new SqlExecutor('sqlite', connection), migrations);

async function withDatabase(work: (connection: SqliteConnection) => Promise<void>): Promise<void> {
  const connection = await openConnection(':memory:', 0);
  try {
    await work(connection);
  } finally {
    connection.close();
  }
}

const tables = (connection: SqliteConnection) =>
  connection
    .all("select name from sqlite_schema where type = 'table' order by name", [])
    .map((row) => row['name']);

test('steps are in the order of their names', () => {
  const names = MIGRATIONS.map(({ name }) => name);
  assert.deepEqual(names, [...names].sort());
  for (const name of names) assert.match(name, /^\d{4}-[a-z-]+$/);
});

test('each step runs once, and only those that are missing', () =>
  withDatabase(async (connection) => {
    await migrate(connection, [step('0001-one', 'one')]);
    await migrate(connection, [step('0001-one', 'one'), step('0002-two', 'two')]);
    await migrate(connection, [step('0001-one', 'one'), step('0002-two', 'two')]);
    assert.deepEqual(tables(connection), ['one', 'schema_migration', 'two']);
  }));

test('a step that fails leaves nothing behind once its transaction is rolled back', () =>
  withDatabase(async (connection) => {
    connection.exec('begin immediate');
    const steps = [step('0001-one', 'one'), step('0002-again', 'one')];
    await assert.rejects(migrate(connection, steps), /already exists/);
    connection.exec('rollback');
    assert.deepEqual(tables(connection), []);
  }));

test('a database of a newer version is left alone', () =>
  withDatabase(async (connection) => {
    await migrate(connection, [step('0001-one', 'one'), step('0002-two', 'two')]);
    await assert.rejects(migrate(connection, [step('0001-one', 'one')]), {
      code: 'unavailable',
      message: /newer version \(step 0002-two\)/,
    });
  }));
