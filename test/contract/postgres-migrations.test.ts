// suite: slow
// Migrations on PostgreSQL: the tests of src/store/migrate.test.ts for SQLite, and column
// declarations.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { verifyAudit } from '../../src/service/audit/audit-verification.ts';
import { MIGRATIONS, migrate } from '../../src/store/migrate.ts';
import { PostgresTransaction, poolConnection } from '../../src/store/postgres/postgres-driver.ts';
import { PostgresPool } from '../../src/store/postgres/postgres-pool.ts';
import { recordsOver } from '../../src/store/records.ts';
import { SqlExecutor } from '../../src/store/sql/executor.ts';
import type { Migration } from '../../src/store/sql/migration.ts';
import {
  addEarlierCredentials,
  BEFORE_CREDENTIALS,
  checkMigratedCredentials,
} from '../support/earlier-credentials.ts';
import { addEarlierDashboards, checkMigratedDashboards } from '../support/earlier-dashboards.ts';
import { addEarlierReferences, checkMigratedReferences } from '../support/earlier-references.ts';
import { addEarlierTargets, checkMigratedTargets } from '../support/earlier-targets.ts';
import { addEarlierText, BEFORE_FOLDED_TEXT, checkMigratedText } from '../support/earlier-text.ts';
import { startPostgres } from '../support/postgres.ts';

const postgres = await startPostgres();
const pools: PostgresPool[] = [];
after(async () => {
  for (const pool of pools) await pool.end();
  await postgres.stop();
});

async function poolOf(name: string): Promise<PostgresPool> {
  const url = await postgres.database(name);
  const pool = new PostgresPool({ url, waitMs: 20_000, statementMs: 60_000 }, 1);
  pools.push(pool);
  return pool;
}

const step = (name: string, table: string): Migration => ({
  name,
  up: (db) => [db.schema.createTable(table).addColumn('a', 'text')],
});

async function run(pool: PostgresPool, migrations: readonly Migration[]): Promise<void> {
  const { transaction } = await PostgresTransaction.begin(pool);
  try {
    await migrate('postgres', new SqlExecutor('postgres', transaction.connection), migrations);
    await transaction.commit();
  } catch (error) {
    await transaction.rollBack();
    throw error;
  }
}

async function tablesIn(pool: PostgresPool): Promise<unknown[]> {
  const { rows } = await pool.query(
    'select tablename from pg_tables where schemaname = current_schema() order by 1',
  );
  return rows.map(({ tablename }) => tablename);
}

test('runs each missing step once', async () => {
  const pool = await poolOf('once');
  await run(pool, [step('0001-one', 'one')]);
  await run(pool, [step('0001-one', 'one'), step('0002-two', 'two')]);
  await run(pool, [step('0001-one', 'one'), step('0002-two', 'two')]);
  assert.deepEqual(await tablesIn(pool), ['one', 'schema_migration', 'two']);
});

test('rolls back a failed step', async () => {
  const pool = await poolOf('failing');
  const steps = [step('0001-one', 'one'), step('0002-again', 'one')];
  await assert.rejects(run(pool, steps), /already exists/);
  assert.deepEqual(await tablesIn(pool), []);
});

test('does not change a database of a newer version', async () => {
  const pool = await poolOf('newer');
  await run(pool, [step('0001-one', 'one'), step('0002-two', 'two')]);
  await assert.rejects(run(pool, [step('0001-one', 'one')]), {
    code: 'unavailable',
    message: /newer version \(step 0002-two\)/,
  });
});

test('compares every text by bytes, and has 64 bits in every integer', async () => {
  const pool = await poolOf('columns');
  await run(pool, MIGRATIONS);
  const { rows } = await pool.query(
    `select table_name, column_name, data_type, collation_name from information_schema.columns
     where table_schema = current_schema()`,
  );
  assert.ok(rows.length > 100);
  for (const { table_name: table, column_name: column, data_type: type, ...rest } of rows) {
    const allowed = ['text', 'bigint', 'bytea', 'double precision'];
    assert.ok(allowed.includes(type), `${table}.${column} is ${type}`);
    if (type === 'text') assert.equal(rest['collation_name'], 'C', `${table}.${column}`);
  }
});

test('dashboards keep their tiles, and are listed by columns', async () => {
  const pool = await poolOf('dashboards');
  await run(pool, MIGRATIONS.slice(0, 13));
  const executor = new SqlExecutor('postgres', poolConnection(pool));
  await addEarlierDashboards(executor);
  await run(pool, MIGRATIONS);
  await checkMigratedDashboards(recordsOver(executor));
});

test('users and attributes keep their references, but none to a deleted record', async () => {
  const pool = await poolOf('references');
  await run(pool, MIGRATIONS.slice(0, 15));
  const executor = new SqlExecutor('postgres', poolConnection(pool));
  await addEarlierReferences(executor);
  await run(pool, MIGRATIONS);
  await checkMigratedReferences(recordsOver(executor));
});

test('recorded events keep the auth user that they are about, and are protected', async () => {
  const pool = await poolOf('targets');
  await run(pool, MIGRATIONS.slice(0, 22));
  const executor = new SqlExecutor('postgres', poolConnection(pool));
  await addEarlierTargets(executor);
  await run(pool, MIGRATIONS);
  await checkMigratedTargets(recordsOver(executor));
});

test('credentials of every kind are in one table, and damaged ones stay damaged', async () => {
  const pool = await poolOf('credentials');
  await run(pool, BEFORE_CREDENTIALS);
  const executor = new SqlExecutor('postgres', poolConnection(pool));
  await addEarlierCredentials(executor);
  await run(pool, MIGRATIONS);
  await checkMigratedCredentials(recordsOver(executor));
  const { rows } = await pool.query(
    "select proname from pg_proc where proname = 'api_key_checksum'",
  );
  assert.deepEqual(rows, []);
});

test('auth users and saved searches are listed without case', async () => {
  const pool = await poolOf('text');
  await run(pool, BEFORE_FOLDED_TEXT);
  const executor = new SqlExecutor('postgres', poolConnection(pool));
  await addEarlierText(executor);
  await run(pool, MIGRATIONS);
  await checkMigratedText(recordsOver(executor));
});

test('chains events from before the hash chain in their order', async () => {
  const pool = await poolOf('carried');
  await run(pool, MIGRATIONS.slice(0, 3));
  for (const [i, stack] of ['cardea', 'elsewhere', 'cardea'].entries()) {
    await pool.query({
      text: 'insert into document values ($1, $2, $3, $4, $5, $6, $7)',
      values: [
        ...[i + 1, 'tenant', 'events', `e${i}`, Buffer.from('h')],
        ...[Buffer.from(JSON.stringify({ id: `e${i}`, stack })), Buffer.from('')],
      ],
    });
  }
  await pool.query('update sequence_counter set value = 3');
  await run(pool, MIGRATIONS);
  const records = recordsOver(new SqlExecutor('postgres', poolConnection(pool)));
  const chain = await records.auditChain('tenant', 0, 10);
  assert.deepEqual(
    chain.slice(0, 2).map(({ number, id }) => [number, id]),
    [
      [1, 'e0'],
      [2, 'e2'],
    ],
  );
  const { events, faults } = await verifyAudit(records, 'tenant');
  assert.deepEqual([events, faults], [3, []], 'one more states how many');
});
