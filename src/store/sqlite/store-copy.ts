// Copies a store from SQLite to PostgreSQL: every row of every table in key order, so an
// interrupted copy continues after the last copied row. The tables and their keys are read from
// SQLite's schema.
// Invariant: the source is locked against writes meanwhile, and the copy is compared row by row at
// the end.
import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import { PostgresTransaction, poolConnection } from '../postgres/postgres-driver.ts';
import { PostgresPool } from '../postgres/postgres-pool.ts';
import type { PostgresStoreOptions } from '../postgres/postgres-store.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { damagedRows } from '../sql/row-damage.ts';
import { type Executor, type SqlValue, type Statement, statement } from '../sql/statement.ts';
import { anyTable, countOf, type PagedTable, pages, type Row } from '../sql/table-pages.ts';
import { openConnection, type SqliteConnection } from './sqlite-driver.ts';
import type { SqliteStoreOptions } from './sqlite-store.ts';

/** Receives the progress of the copy; cancels by throwing. */
export interface CopyWatch {
  /** Rows done and the total, first of copying and then of comparing both sides. */
  progress(step: 'Copying' | 'Comparing', done: number, total: number): void;
}

/** The result of a copy. */
export interface CopyReport {
  readonly tables: number;
  readonly rows: number;
  /** Rows that an earlier run had copied. */
  readonly alreadyCopied: number;
}

interface Table extends PagedTable {
  readonly rows: number;
}

/** The migration has inserted its row already: it is copied completely, and last. */
const COUNTER = 'sequence_counter';

/**
 * Copies everything, or what is missing, between two stores with the newest tables.
 * @throws ServiceError `unavailable` if either side fails, the source is being written to, or the
 * target has other content; rows copied so far stay, and the next run continues after them
 */
export async function copyStore(
  from: SqliteStoreOptions,
  to: PostgresStoreOptions,
  watch: CopyWatch,
): Promise<CopyReport> {
  const connection = await openConnection(from.path, from.busyMs ?? 10_000);
  const pool = new PostgresPool(to, 2);
  let began = false;
  try {
    connection.exec('begin immediate');
    began = true;
    const source = new SqlExecutor('sqlite', connection);
    const target = new SqlExecutor('postgres', poolConnection(pool));
    const { count, documents } = await damagedRows(source);
    if (count > 0) {
      const names = documents.map(({ index, id }) => `"${id}" of ${index}`).join(', ');
      throw new ServiceError(
        'unavailable',
        `The store has damaged records: ${names}: run cardea doctor --repair, or restore a backup.`,
      );
    }
    const all = await tablesIn(connection, source);
    const total = all.reduce((sum, { rows }) => sum + rows, 0);
    let done = 0;
    let alreadyCopied = 0;
    for (const table of all) {
      const start = await copiedPart(table, source, target);
      done += start.rows;
      alreadyCopied += start.rows;
      watch.progress('Copying', done, total);
      const upsert = upsertOf(table);
      for await (const rows of pages(source, table, start.key)) {
        await put(pool, upsert, rows);
        done += rows.length;
        watch.progress('Copying', done, total);
      }
    }
    await compare(all, source, target, watch);
    return { tables: all.length, rows: total, alreadyCopied };
  } finally {
    // Closing ends the transaction only after all statements were collected.
    if (began) connection.exec('rollback');
    connection.close();
    await pool.end();
  }
}

async function tablesIn(connection: SqliteConnection, source: Executor): Promise<Table[]> {
  const names = connection
    .all("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'", [])
    .map(({ name }) => String(name))
    .filter((name) => name !== 'schema_migration')
    .sort((a, b) => Number(a === COUNTER) - Number(b === COUNTER) || (a < b ? -1 : 1));
  const all: Table[] = [];
  for (const name of names) {
    const info = connection.all('select name, pk from pragma_table_info(?) order by cid', [name]);
    // The triggers of the target write the checksums of its rows.
    const columns = info.map(({ name }) => String(name)).filter((name) => name !== 'checksum');
    const keys = info
      .filter(({ pk }) => Number(pk) > 0)
      .sort((a, b) => Number(a['pk']) - Number(b['pk']))
      .map((column) => String(column['name']));
    all.push({ name, columns, keys, rows: await countOf(source, name) });
  }
  return all;
}

/** The rows of the table that an earlier run has copied, and the key to continue after. */
async function copiedPart(
  table: Table,
  source: Executor,
  target: Executor,
): Promise<{ readonly rows: number; readonly key: Row | null }> {
  if (table.name === COUNTER) return { rows: 0, key: null };
  let query = anyTable.selectFrom(table.name).selectAll().limit(1);
  for (const key of table.keys) query = query.orderBy(key, 'desc');
  const [last] = await target.query(query);
  if (last === undefined) return { rows: 0, key: null };
  let same = anyTable.selectFrom(table.name).selectAll();
  for (const key of table.keys) same = same.where(key, '=', last[key] as SqlValue);
  const [original] = await source.query(same);
  if (original === undefined || rowText(table, original) !== rowText(table, last)) {
    throw differenceFault(table, 'holds rows that are not in the source');
  }
  return { rows: await countOf(target, table.name), key: last };
}

async function put(
  pool: PostgresPool,
  upsert: Statement<Row, unknown>,
  rows: readonly Row[],
): Promise<void> {
  const { transaction } = await PostgresTransaction.begin(pool);
  try {
    await new SqlExecutor('postgres', transaction.connection).each(upsert, rows);
    await transaction.commit();
  } catch (error) {
    await transaction.rollBack();
    throw error;
  }
}

/** Writes a row, over an existing one with the same keys. */
function upsertOf({ name, columns, keys }: Table): Statement<Row, unknown> {
  return statement((row: Row) =>
    anyTable
      .insertInto(name)
      .values(Object.fromEntries(columns.map((column) => [column, row[column] as SqlValue])))
      .onConflict((conflict) =>
        conflict
          .columns(keys)
          .doUpdateSet((excluded) =>
            Object.fromEntries(
              columns.map((column) => [column, excluded.ref(`excluded.${column}` as never)]),
            ),
          ),
      ),
  );
}

async function compare(
  all: readonly Table[],
  source: Executor,
  target: Executor,
  watch: CopyWatch,
): Promise<void> {
  const total = all.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  for (const table of all) {
    const [copied, expected] = [await countOf(target, table.name), table.rows];
    if (copied !== expected) throw differenceFault(table, `has ${copied} rows of ${expected}`);
    if ((await digestOf(source, table)) !== (await digestOf(target, table))) {
      throw differenceFault(table, 'has rows of other content');
    }
    done += expected;
    watch.progress('Comparing', done, total);
  }
}

async function digestOf(executor: Executor, table: Table): Promise<string> {
  const hash = createHash('sha256');
  for await (const rows of pages(executor, table)) {
    for (const row of rows) hash.update(rowText(table, row));
  }
  return hash.digest('hex');
}

/** A row as text; different rows have different texts. */
function rowText({ columns }: Table, row: Row): string {
  const values = columns.map((column) => {
    const value = row[column];
    // The built-in module of Node 22 binds an empty blob as null.
    if (value instanceof Uint8Array)
      return value.length === 0 ? null : [Buffer.from(value).toString('base64')];
    return value;
  });
  return `${JSON.stringify(values)}\n`;
}

function differenceFault({ name }: Table, what: string): ServiceError {
  return new ServiceError(
    'unavailable',
    `The table ${name} in PostgreSQL ${what}: copy into an empty database.`,
  );
}
