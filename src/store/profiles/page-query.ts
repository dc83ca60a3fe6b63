// One page of a table, for every collection: conditions, one ordering member, limit and offset. The
// same tree runs on both databases, so missing values are sorted last by `is null` and not by
// `nulls last`.
// Invariant: the order is total, so pages neither repeat nor skip a row.
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Condition, PageQuery } from '../../service/ports/collection.ts';
import { foldText } from '../../service/profiles/values/fold-text.ts';
import type { Schema } from '../sql/schema.ts';
import { type Dialect, type Executor, type Tree, tables } from '../sql/statement.ts';
import { escapeLike } from './like-pattern.ts';
import type { ComparedColumn, ResourceTableName } from './resource-tables.ts';

/** Stands for any of the tables: all have the columns that are named here. */
type Builder<O> = SelectQueryBuilder<Schema, 'profile_user', O>;
type Column = 'id';

/** The table that a page is read from. */
export interface PageSource {
  readonly table: ResourceTableName;
  compared(member: string): ComparedColumn;
  /** Further conditions. */
  also?<O>(query: Builder<O>): Builder<O>;
}

/** Returns the rows of a page, and the total if the query requests it. */
export async function readPage(
  executor: Executor,
  source: PageSource,
  tenantId: string,
  query: PageQuery,
): Promise<{ rows: readonly Record<string, unknown>[]; total: number | null }> {
  const { dialect } = executor;
  const matching = <O>(builder: Builder<O>) =>
    narrowed(builder, { source, tenantId, dialect }, query);
  const from = tables.selectFrom(source.table as 'profile_user');
  const page = ordered(matching(from.selectAll()), source, query)
    .limit(query.limit)
    .offset(query.offset);
  const rows = await executor.scan(page as unknown as Tree<Record<string, unknown>>);
  if (!query.total) return { rows, total: null };
  // A first page that is not full contains all rows.
  if (query.offset === 0 && rows.length < query.limit) return { rows, total: rows.length };
  const count = matching(from.select((row) => row.fn.countAll().as('total')));
  const [counted] = await executor.scan(count as unknown as Tree<{ total: number | string }>);
  return { rows, total: Number(counted?.total ?? 0) };
}

/** What pages are read from, for which tenant, and in which dialect. */
interface Reading {
  readonly source: PageSource;
  readonly tenantId: string;
  readonly dialect: Dialect;
}

function narrowed<O>(
  builder: Builder<O>,
  reading: Reading,
  { where, afterId }: PageQuery,
): Builder<O> {
  const { source, tenantId } = reading;
  let narrowing = builder.where('tenant_id', '=', tenantId);
  if (afterId !== undefined) narrowing = narrowing.where('id', '>', afterId);
  for (const condition of where) narrowing = narrowing.where(matches(condition, reading));
  return source.also?.(narrowing) ?? narrowing;
}

/** A condition on the current row. */
function matches(condition: Condition, { source, dialect }: Reading): RawBuilder<SqlBool> {
  const { column, folds, lowered, inDetails } = source.compared(condition.member);
  const ref = sql.ref(column);
  if ('contains' in condition) {
    const pattern = `%${escapeLike(String(comparable(condition.contains, folds)))}%`;
    return sql`${ref} like ${pattern} escape ${sql.lit('\\')}`;
  }
  if ('within' in condition) {
    const { from, before } = condition.within;
    return sql`(${ref} >= ${from} and ${ref} < ${before})`;
  }
  if ('hasItem' in condition) {
    const item = asciiLower(condition.hasItem);
    return sql`exists (select 1 from ${ITEMS[dialect](column)} where lower(value) = ${item})`;
  }
  const { equals } = condition;
  if (inDetails) {
    return sql`lower(${MEMBER[dialect](column)}) = ${asciiLower(JSON.stringify(equals))}`;
  }
  if (equals === null) return sql`${ref} is null`;
  return lowered
    ? sql`lower(${ref}) = ${asciiLower(String(equals))}`
    : sql`${ref} = ${comparable(equals, folds)}`;
}

/** The JSON text of a member of `details`, as JSON.stringify wrote it. */
const MEMBER: Readonly<Record<Dialect, (member: string) => RawBuilder<string>>> = {
  sqlite: (member) => sql`details -> ${sql.lit(member)}`,
  postgres: (member) => sql`(details::json -> ${sql.lit(member)})::text collate "C"`,
};

/** The texts of an array in `details`, as rows with the column `value`. */
const ITEMS: Readonly<Record<Dialect, (member: string) => RawBuilder<unknown>>> = {
  sqlite: (member) => sql`json_each(details, ${sql.lit(`$.${member}`)})`,
  postgres: (member) =>
    sql`(select item collate "C" as value
      from json_array_elements_text(details::json -> ${sql.lit(member)}) as item) as items`,
};

/** As the databases' `lower`: letters beyond ASCII keep their case. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function comparable(value: string | number | boolean, folds: boolean): string | number {
  if (typeof value === 'boolean') return Number(value);
  return folds && typeof value === 'string' ? foldText(value) : value;
}

function ordered<O>(builder: Builder<O>, source: PageSource, { order }: PageQuery): Builder<O> {
  if (order === 'id') return builder.orderBy('id');
  // `uid` has no folded column: letters beyond ASCII keep their case in both databases.
  if (order === 'uid') return builder.orderBy((row) => row.fn('lower', ['uid'])).orderBy('id');
  const { column, optional, lowered = false } = source.compared(order ?? 'createdAt');
  const ordering = column as Column;
  // If no value can be missing, an index on the column gives the order.
  const missingLast = optional ? builder.orderBy((row) => row(ordering, 'is', null)) : builder;
  const byValue = lowered
    ? missingLast.orderBy((row) => row.fn('lower', [ordering]))
    : missingLast.orderBy(ordering);
  return byValue.orderBy('id');
}
