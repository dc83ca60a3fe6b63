// One page of a table, for every collection: conditions, one ordering member, limit and offset. The
// same tree runs on both databases, so missing values are sorted last by `is null` and not by
// `nulls last`.
// Invariant: the order is total, so pages neither repeat nor skip a row.
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { PageQuery } from '../../service/profiles/resources/collection.ts';
import { foldText } from '../../service/profiles/values/fold-text.ts';
import type { Schema } from '../schema.ts';
import { type Executor, type Tree, tables } from '../statement.ts';
import type { ComparedColumn, ResourceTableName } from './resource-tables.ts';
import { escapeLike } from './search-conditions.ts';

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
  const matching = <O>(builder: Builder<O>) => narrowed(builder, source, tenantId, query);
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

function narrowed<O>(
  builder: Builder<O>,
  source: PageSource,
  tenantId: string,
  { where, afterId }: PageQuery,
): Builder<O> {
  let narrowing = builder.where('tenant_id', '=', tenantId);
  if (afterId !== undefined) narrowing = narrowing.where('id', '>', afterId);
  for (const condition of where) {
    const { column, folds } = source.compared(condition.member);
    if ('contains' in condition) {
      const pattern = `%${escapeLike(String(comparable(condition.contains, folds)))}%`;
      narrowing = narrowing.where(
        sql<SqlBool>`${sql.ref(column)} like ${pattern} escape ${sql.lit('\\')}`,
      );
      continue;
    }
    const { equals } = condition;
    narrowing =
      equals === null
        ? narrowing.where(column as 'title', 'is', null)
        : narrowing.where(column as Column, '=', comparable(equals, folds) as string);
  }
  return source.also?.(narrowing) ?? narrowing;
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
