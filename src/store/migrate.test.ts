import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addEarlierCredentials,
  BEFORE_CREDENTIALS,
  checkMigratedCredentials,
} from '../../test/support/earlier-credentials.ts';
import {
  addEarlierDashboards,
  checkMigratedDashboards,
} from '../../test/support/earlier-dashboards.ts';
import {
  addEarlierReferences,
  checkMigratedReferences,
  DELETED_REFERENCES,
} from '../../test/support/earlier-references.ts';
import { addEarlierTargets, checkMigratedTargets } from '../../test/support/earlier-targets.ts';
import {
  addEarlierText,
  BEFORE_FOLDED_TEXT,
  checkMigratedText,
} from '../../test/support/earlier-text.ts';
import { verifyAudit } from '../service/audit/audit-verification.ts';
import { MIGRATIONS, migrate as migrateIn } from './migrate.ts';
import { recordsOver } from './records.ts';
import { SqlExecutor } from './sql/executor.ts';
import type { Migration } from './sql/migration.ts';
import { compile, type Executor, type SqlValue } from './sql/statement.ts';
import { openConnection, type SqliteConnection } from './sqlite/sqlite-driver.ts';

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

test('the names of the steps are in ascending order', () => {
  const names = MIGRATIONS.map(({ name }) => name);
  assert.deepEqual(names, [...names].sort());
  for (const name of names) assert.match(name, /^\d{4}-[a-z-]+$/);
});

test('runs each step once, and only those that are missing', () =>
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
    await assert.rejects(migrate(connection, steps), {
      code: 'unavailable',
      message: /do not fit .* \(step 0002-again: .*already exists\): restore a backup\./,
    });
    connection.exec('rollback');
    assert.deepEqual(tables(connection), []);
  }));

test('rejects a database of a newer version without changing it', () =>
  withDatabase(async (connection) => {
    await migrate(connection, [step('0001-one', 'one'), step('0002-two', 'two')]);
    await assert.rejects(migrate(connection, [step('0001-one', 'one')]), {
      code: 'unavailable',
      message: /newer version \(step 0002-two\)/,
    });
  }));

test('a migrated API client gets the members that it lacked', () =>
  withDatabase(async (connection) => {
    await migrate(connection, MIGRATIONS.slice(0, 2));
    connection.exec(
      `insert into oauth_client values ('c', 't', 'export', 'h', '["CLIENT_CREDENTIALS"]', '[]', '[]', 750, 1,
       '2026-01-01T00:00:00.000Z')`,
    );
    await migrate(connection, MIGRATIONS);
    const records = recordsOver(new SqlExecutor('sqlite', connection));
    assert.deepEqual(await records.credentialById('c'), {
      ...{ tenantId: 't', kind: 'client', ownerId: null, expires: null },
      ...{ id: 'c', name: 'export', description: '', businessName: '', homepageUrl: '' },
      ...{ secretHash: 'h', grantTypes: ['CLIENT_CREDENTIALS'], scope: [], redirectUris: [] },
      ...{ accessTokenValiditySeconds: 750, refreshTokenValiditySeconds: 2_592_000 },
      ...{ accessType: 'OFFLINE', strongAuthSupported: false, claimsSupported: false },
      ...{ enabled: true, lastUsed: null, parentId: null, tokensValidFrom: 0, view: null },
      ...{ created: '2026-01-01T00:00:00.000Z', modified: '2026-01-01T00:00:00.000Z' },
    });
  }));

test('chains events that the service wrote before there was a chain, and no others', () =>
  withDatabase(async (connection) => {
    await migrate(connection, MIGRATIONS.slice(0, 3));
    const old = [
      { tenant: 'a', id: 'e1', stack: 'cardea' },
      { tenant: 'a', id: 'foreign', stack: 'elsewhere' },
      { tenant: 'b', id: 'e1', stack: 'cardea' },
      { tenant: 'a', id: 'e0', stack: 'cardea' },
    ];
    for (const [i, { tenant, id, stack }] of old.entries()) {
      connection.run('insert into document values (?, ?, ?, ?, ?, ?, ?)', [
        ...[i + 1, tenant, 'events', id, Buffer.from('h')],
        ...[Buffer.from(JSON.stringify({ id, stack })), Buffer.from('')],
      ]);
    }
    connection.run('insert into document values (5, ?, ?, ?, null, null, null)', [
      'a',
      'events',
      'x',
    ]);
    connection.exec(
      `insert into tenant (id, name, pod, created) values ('c', 'gamma', 'p', '2026-01-01T00:00:00.000Z');
       update sequence_counter set value = 5`,
    );
    await migrate(connection, MIGRATIONS);
    const records = recordsOver(new SqlExecutor('sqlite', connection));
    const chain = await records.auditChain('a', 0, 10);
    assert.deepEqual(
      chain.slice(0, 2).map(({ number, id, sequence }) => [number, id, sequence]),
      [
        [1, 'e1', 1],
        [2, 'e0', 4],
      ],
    );
    // One more event records how many were carried over, also for a tenant that had none.
    const reports = await Promise.all(
      ['a', 'b', 'c'].map((tenant) => verifyAudit(records, tenant)),
    );
    assert.deepEqual(
      reports.map(({ events, faults }) => [events, faults]),
      [
        [3, []],
        [2, []],
        [1, []],
      ],
    );
  }));

test('dashboards keep their tiles, and are listed by columns', () =>
  withDatabase(async (connection) => {
    await migrate(connection, MIGRATIONS.slice(0, 13));
    const executor = new SqlExecutor('sqlite', connection);
    await addEarlierDashboards(executor);
    await migrate(connection, MIGRATIONS);
    await checkMigratedDashboards(recordsOver(executor));
  }));

test('users and attributes keep their references, but none to a deleted record', () =>
  withDatabase(async (connection) => {
    await migrate(connection, MIGRATIONS.slice(0, 15));
    const executor = new SqlExecutor('sqlite', connection);
    await addEarlierReferences(executor);
    await migrate(connection, MIGRATIONS);
    await checkMigratedReferences(recordsOver(executor));
  }));

test('recorded events keep the auth user that they are about, and are protected', () =>
  withDatabase(async (connection) => {
    await migrate(connection, MIGRATIONS.slice(0, 22));
    const executor = new SqlExecutor('sqlite', connection);
    await addEarlierTargets(executor);
    await migrate(connection, MIGRATIONS);
    await checkMigratedTargets(recordsOver(executor));
  }));

test('references are moved page by page in an index, and only those to deleted records are cleared', () =>
  withDatabase(async (connection) => {
    await migrate(connection, MIGRATIONS.slice(0, 15));
    const executor = new SqlExecutor('sqlite', connection);
    await addEarlierReferences(executor);
    const plans: string[] = [];
    const cleared: unknown[] = [];
    const query: Executor['query'] = async (tree) => {
      const { sql, parameters } = compile(tree, 'sqlite');
      if (sql.startsWith('select "tenant_id", "id", "details"')) {
        const plan = connection.all(`explain query plan ${sql}`, parameters as SqlValue[]);
        plans.push(plan.map(({ detail }) => detail).join('; '));
      }
      const rows = await executor.query(tree);
      if (sql.startsWith('update') && sql.includes('not exists')) {
        cleared.push(connection.get('select changes() as rows', [])?.['rows']);
      }
      return rows;
    };
    await migrateIn('sqlite', { ...executor, query }, MIGRATIONS);
    assert.ok(plans.length > 3);
    for (const plan of plans) {
      assert.match(plan, /^SEARCH \w+ USING INDEX \w+ \(\(tenant_id,id\)>\(\?,\?\)\)$/);
    }
    assert.deepEqual(cleared, [DELETED_REFERENCES, DELETED_REFERENCES, 0]);
  }));

test('a migrated API key keeps full access and does not expire', () =>
  withDatabase(async (connection) => {
    await migrate(connection, MIGRATIONS.slice(0, 3));
    connection.exec(
      `insert into api_key values ('h', 't', 'k', 'script', '2026-01-01T00:00:00.000Z')`,
    );
    await migrate(connection, MIGRATIONS);
    const records = recordsOver(new SqlExecutor('sqlite', connection));
    assert.deepEqual(await records.apiKeyByHash('h'), {
      ...{ tenantId: 't', kind: 'key', id: 'k', name: 'script', secretHash: 'h', view: null },
      ...{ created: '2026-01-01T00:00:00.000Z' },
      ...{
        scope: ['cardea:profiles:manage'],
        expires: null,
        ownerId: null,
        lastUsed: null,
        parentId: null,
      },
    });
  }));

test('credentials of every kind are in one table, and damaged ones stay damaged', () =>
  withDatabase(async (connection) => {
    const executor = new SqlExecutor('sqlite', connection);
    await migrate(connection, BEFORE_CREDENTIALS);
    await addEarlierCredentials(executor);
    await migrate(connection, MIGRATIONS);
    await checkMigratedCredentials(recordsOver(executor));
  }));

test('migrated auth users and saved searches are listed without case', () =>
  withDatabase(async (connection) => {
    const executor = new SqlExecutor('sqlite', connection);
    await migrate(connection, BEFORE_FOLDED_TEXT);
    await addEarlierText(executor);
    await migrate(connection, MIGRATIONS);
    await checkMigratedText(recordsOver(executor));
  }));
