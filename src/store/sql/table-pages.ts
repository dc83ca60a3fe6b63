// Reads any table in the order of its key.
import type { ExpressionBuilder, Kysely } from 'kysely';
import { type Executor, type SqlValue, tables } from './statement.ts';

/** A row of any table. */
export type Row = Readonly<Record<string, SqlValue>>;

/** Rows read at a time. */
const ROWS = 200;

/** The tables without their types. */
export const anyTable = tables as unknown as Kysely<Record<string, Record<string, SqlValue>>>;

/** The number of rows of a table. */
export async function countOf(executor: Executor, name: string): Promise<number> {
  const query = anyTable.selectFrom(name).select((row) => row.fn.countAll().as('rows'));
  return Number((await executor.query(query))[0]?.rows);
}

/** A table to read: its columns, and those of its primary key. */
export interface PagedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly keys: readonly string[];
}

/** The rows after `key`, in key order. */
export async function* pages(
  executor: Executor,
  table: PagedTable,
  key: Row | null = null,
): AsyncGenerator<readonly Row[]> {
  for (let last = key; ; ) {
    let query = anyTable.selectFrom(table.name).select(table.columns).limit(ROWS);
    for (const name of table.keys) query = query.orderBy(name);
    const after = last;
    if (after !== null) query = query.where((row) => isAfter(row, table.keys, after));
    const rows = await executor.query(query);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS) return;
    last = rows.at(-1) ?? null;
    await executor.pause();
  }
}

/** `(a, b) > (x, y)`, for which both databases use the index of the key. */
export function isAfter(
  row: ExpressionBuilder<Record<string, Record<string, SqlValue>>, string>,
  keys: readonly string[],
  last: Row,
) {
  const [only = '', ...more] = keys;
  if (more.length === 0) return row(only, '>', last[only] as SqlValue);
  const columns = row.refTuple(...(keys as unknown as [string, string]));
  const values = keys.map((key) => last[key]) as unknown as [SqlValue, SqlValue];
  return row(columns, '>', row.tuple(...values));
}
