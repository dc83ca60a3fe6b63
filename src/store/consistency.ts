// Records belong to an existing tenant and owner, which the databases do not enforce, and rows that are
// derived from others are as computed (derived/). `doctor` checks and repairs both.
// Invariant: rows taken as stray were unreachable, and not because the row of their tenant was lost: a
// tenant that has an audit trail was there, and only a backup has it still (`verifyAuditDatabase`).
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { StoreInconsistency, StrayRow, WritableRecords } from '../service/ports/store.ts';
import { mendDerivedRows, wrongRows } from './derived/derived-tables.ts';
import { OF_A_TENANT } from './records/snapshot-records.ts';
import { CHECKED_TABLES, type CheckedTableName, differsFromWritten } from './sql/row-checksum.ts';
import { exactColumns, exactRow, staysInStore, WRITTEN, withExactBytes } from './sql/row-damage.ts';
import type { Schema } from './sql/schema.ts';
import { type Executor, rawStatement, type SqlValue, type Tree } from './sql/statement.ts';
import { anyTable, type Row } from './sql/table-pages.ts';

export type ConsistencyRecords = Pick<
  WritableRecords,
  'inconsistencies' | 'wrongRows' | 'takeStrayRows' | 'mendDerivedRows'
>;

type AnyTables = Record<string, Record<string, SqlValue>>;

/** The columns that name the owner of a row, and the table of owners. */
const OWNERS: Readonly<Partial<Record<keyof Schema, readonly [string, keyof Schema]>>> = {
  capability_holder: ['auth_user_id', 'auth_user'],
  credential: ['owner_id', 'auth_user'],
  refresh_token: ['client_id', 'credential'],
  profile_value: ['profile_id', 'profile'],
  scheduled_search: ['saved_search_id', 'saved_search'],
  search_run: ['saved_search_id', 'saved_search'],
  search_run_part: ['run_id', 'search_run'],
  search_delivery: ['run_id', 'search_run'],
};

export function consistencyRecords(executor: Executor): ConsistencyRecords {
  return {
    async inconsistencies() {
      const inconsistencies: StoreInconsistency[] = [];
      for (const table of OF_A_TENANT) {
        const rows = staysInStore(table)
          ? (await soundStray(executor, table)).length
          : await countStray(executor, table);
        if (rows > 0) inconsistencies.push({ kind: 'stray', table, rows });
        await executor.pause();
      }
      return [...inconsistencies, ...(await wrongRows(executor))];
    },
    wrongRows: (pause) => wrongRows(executor, pause),
    async takeStrayRows() {
      const taken: StrayRow[] = [];
      for (const table of OF_A_TENANT) {
        const rows = staysInStore(table)
          ? await takeSound(executor, table)
          : await takeAll(executor, table);
        taken.push(...rows.map((row) => ({ table, row: JSON.stringify(row) })));
        await executor.pause();
      }
      return taken;
    },
    mendDerivedRows: () => mendDerivedRows(executor),
  };
}

async function countStray(executor: Executor, table: keyof Schema): Promise<number> {
  const query = anyTable
    .selectFrom(table)
    .where((row) => isStray(row, table))
    .select((row) => row.fn.countAll().as('rows'));
  return Number((await executor.query(query))[0]?.rows);
}

/** Deletes all stray rows, also those whose key cannot be read. @returns every byte of them */
async function takeAll(executor: Executor, table: keyof Schema): Promise<readonly object[]> {
  const columns = await columnsOf(executor, table);
  const rows = await executor.query(
    anyTable
      .deleteFrom(table)
      .where((row) => isStray(row, table))
      .returning(columns.map((name) => (name === 'checksum' ? WRITTEN : name)))
      .returning(exactColumns(executor, columns)) as unknown as Tree<Row>,
  );
  return rows.map(exactRow).map(({ values, exact }) => withExactBytes(values, exact));
}

/**
 * The stray rows that are as they were written, of a table whose damaged rows stay: somebody might have
 * rights again without them.
 */
async function soundStray(executor: Executor, table: keyof Schema): Promise<readonly Row[]> {
  const { columns } = CHECKED_TABLES[table as CheckedTableName];
  const rows = await executor.query(
    anyTable
      .selectFrom(table)
      .where((row) => isStray(row, table))
      .select([...columns, WRITTEN]),
  );
  return rows.filter((row) => !differsFromWritten(row));
}

async function takeSound(executor: Executor, table: keyof Schema): Promise<readonly object[]> {
  const rows = await soundStray(executor, table);
  for (const row of rows) {
    let deletion = anyTable.deleteFrom(table);
    for (const key of CHECKED_TABLES[table as CheckedTableName].key) {
      deletion = deletion.where(key, '=', row[key] as SqlValue);
    }
    await executor.query(deletion);
  }
  return rows;
}

/** The names of the columns, in their order. */
async function columnsOf(executor: Executor, table: string): Promise<readonly string[]> {
  const query =
    executor.dialect === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_info(${table}) order by cid`
      : sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = ${table} order by ordinal_position`;
  return (await executor.query(rawStatement(query))).map(({ name }) => name);
}

function isStray(
  row: ExpressionBuilder<AnyTables, string>,
  table: keyof Schema,
): Expression<SqlBool> {
  const one = sql<number>`1`.as('one');
  const tenant = row
    .selectFrom('tenant')
    .select(one)
    .whereRef('tenant.id', '=', `${table}.tenant_id`);
  const trail = row
    .selectFrom('audit_event')
    .select(one)
    .whereRef('audit_event.tenant_id', '=', `${table}.tenant_id`);
  const ofNobody = row.not(row.or([row.exists(tenant), row.exists(trail)]));
  const [column, parent] = OWNERS[table] ?? [];
  if (parent === undefined) return ofNobody;
  const owner = row
    .selectFrom(parent)
    .select(one)
    .whereRef(`${parent}.tenant_id`, '=', `${table}.tenant_id`)
    .whereRef(`${parent}.id`, '=', `${table}.${column}`);
  // Only a personal access token needs its owner.
  const needsOwner = table === 'credential' ? [row('kind', '=', 'pat')] : [];
  return row.or([ofNobody, row.and([...needsOwner, row.not(row.exists(owner))])]);
}
