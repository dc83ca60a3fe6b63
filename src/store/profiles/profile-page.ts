// The queries behind lists of profiles. Each order has an index that begins with its column and
// ends with the columns of the filters (migrations/0002-profiles.ts), so a page is a scan along one
// index and only the records of the page are read.
// Invariant: the index is chosen here, not by the database's estimate of how rare a value is: other
// filters are written so that the database cannot use an index for them.
import {
  type Expression,
  type ExpressionBuilder,
  type ExpressionWrapper,
  expressionBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type {
  ProfileFilters,
  ProfileOrder,
  ProfileWindow,
} from '../../service/ports/profile-records.ts';
import type { ProfileTable, Schema } from '../sql/schema.ts';
import { type Tree, tables } from '../sql/statement.ts';
import { escapeLike } from './like-pattern.ts';

/** A profile's own columns, without the tenant's. */
export type ProfileRow = Omit<ProfileTable, 'tenant_id' | 'uid_folded' | 'name_folded' | 'items'>;

/** The column of an order. */
export const ORDER_COLUMN = {
  id: 'id',
  uid: 'uid_folded',
  name: 'name_folded',
  status: 'status',
  profileTypeId: 'profile_type_id',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const satisfies Readonly<Record<ProfileOrder, keyof ProfileTable>>;

const FILTERS = {
  archived: { column: 'archived', operator: '=' },
  id: { column: 'id', operator: '=' },
  uid: { column: 'uid', operator: '=' },
  name: { column: 'name_folded', operator: '=' },
  profileTypeId: { column: 'profile_type_id', operator: '=' },
  status: { column: 'status', operator: '=' },
  idProofingStatus: { column: 'id_proofing_status', operator: '=' },
  createdFrom: { column: 'created_at', operator: '>=' },
  createdBefore: { column: 'created_at', operator: '<' },
  updatedFrom: { column: 'updated_at', operator: '>=' },
  updatedBefore: { column: 'updated_at', operator: '<' },
  updatedAfter: { column: 'updated_at', operator: '>' },
} as const;

type Filter = keyof typeof FILTERS;

/** Selects the ids of one page in its order; the index of the order covers the query. */
export function profilePage(
  tenantId: string,
  filters: ProfileFilters,
  window: ProfileWindow,
): Tree<{ id: string }> {
  const leading = leadingFilters(filters, window);
  const ids = filtered(tables.selectFrom('profile').select('id'), tenantId, filters, leading);
  if ('afterId' in window) {
    return ids.where('id', '>', window.afterId).orderBy('id').limit(window.limit);
  }
  const { order, offset, limit } = window;
  const ordered = isSorted(filters, order)
    ? ids.orderBy((row) => row.fn.coalesce(ORDER_COLUMN[order], ORDER_COLUMN[order]))
    : order === 'id'
      ? ids
      : ids.orderBy(ORDER_COLUMN[order]);
  return ordered.orderBy('id').limit(limit).offset(offset);
}

/** Selects the records with these ids or uids, in no particular order. */
export function profilesBy(
  tenantId: string,
  column: 'id' | 'uid',
  keys: string[],
): Tree<ProfileRow> {
  return tables
    .selectFrom('profile')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where(column, 'in', keys);
}

/** Counts the records that pass the filters; without an order the database chooses the index. */
export function profileCount(tenantId: string, filters: ProfileFilters): Tree<{ total: number }> {
  const all = new Set(Object.keys(FILTERS) as Filter[]);
  const rows = tables
    .selectFrom('profile')
    .select((row) => row.fn.countAll<number>().as('total')) as SelectQueryBuilder<
    Schema,
    'profile',
    { total: number }
  >;
  return filtered(rows, tenantId, filters, all);
}

/** Filters that match few profiles, most often the fewest first, with those of their indexes. */
const NARROW: readonly (readonly [Filter, ...Filter[]])[] = [
  ['id'],
  ['uid'],
  ['name', 'archived'],
  ['idProofingStatus', 'archived'],
  ['createdFrom', 'createdBefore', 'archived'],
  ['updatedFrom', 'updatedBefore', 'archived'],
];

/** Orders in which the index of a narrow filter is, so that nothing needs to be sorted. */
const ORDER_WITHIN: Partial<Record<Filter, ProfileOrder>> = {
  idProofingStatus: 'createdAt',
  createdFrom: 'createdAt',
  updatedFrom: 'updatedAt',
};

function narrowFilters(filters: ProfileFilters): readonly [Filter, ...Filter[]] | undefined {
  return NARROW.find(([filter]) => filters[filter] !== undefined);
}

/** Whether the matches of a narrow filter are sorted, and the index of the order is not scanned. */
function isSorted(filters: ProfileFilters, order: ProfileOrder): boolean {
  const narrow = narrowFilters(filters);
  return narrow !== undefined && ORDER_WITHIN[narrow[0]] !== order;
}

/** The filters that are a prefix of the chosen index. */
function leadingFilters(filters: ProfileFilters, window: ProfileWindow): ReadonlySet<Filter> {
  if ('afterId' in window) return new Set();
  const narrow = narrowFilters(filters);
  if (narrow !== undefined) return new Set(narrow);
  if (window.order === 'id') return new Set();
  if (window.order === 'createdAt') {
    if (filters.profileTypeId !== undefined) return new Set(['archived', 'profileTypeId']);
    if (filters.status !== undefined) return new Set(['archived', 'status']);
  }
  return new Set(window.order === 'updatedAt' ? ['archived', 'updatedAfter'] : ['archived']);
}

function filtered<O>(
  query: SelectQueryBuilder<Schema, 'profile', O>,
  tenantId: string,
  filters: ProfileFilters,
  leading: ReadonlySet<Filter>,
): SelectQueryBuilder<Schema, 'profile', O> {
  let result = query.where('tenant_id', '=', tenantId);
  const row = expressionBuilder<Schema, 'profile'>();
  for (const condition of conditionsOn(row, filters, leading)) result = result.where(condition);
  return result;
}

/**
 * Lists the profiles that pass the filters from the index of a narrow one; null if none is narrow.
 */
export function narrowProfiles(
  tenantId: string,
  filters: ProfileFilters,
): Tree<{ profile_id: string }> | null {
  const narrow = narrowFilters(filters);
  if (narrow === undefined) return null;
  const ids = tables.selectFrom('profile').select('id as profile_id');
  return filtered(ids, tenantId, filters, new Set(narrow));
}

/** SQL that is true if the current row of `profile` passes the filters. */
export function passesFilters(row: Profiles, filters: ProfileFilters): Expression<SqlBool> {
  return row.and([...conditionsOn(row, filters, new Set())]);
}

type Profiles = ExpressionBuilder<Schema, 'profile'>;

/** The condition of each filter; those of `leading` are for an index. */
function* conditionsOn(
  row: Profiles,
  filters: ProfileFilters,
  leading: ReadonlySet<Filter>,
): Iterable<Expression<SqlBool>> {
  if (filters.nameContains !== undefined) {
    const pattern = `%${escapeLike(filters.nameContains)}%`;
    yield sql<SqlBool>`${row.fn.coalesce('name_folded', 'name_folded')} like ${pattern} escape ${sql.lit('\\')}`;
  }
  for (const [name, { column, operator }] of Object.entries(FILTERS)) {
    const filter = filters[name as Filter];
    if (filter === undefined) continue;
    const value = typeof filter === 'boolean' ? Number(filter) : filter;
    yield leading.has(name as Filter)
      ? row(column, operator, value)
      : withoutIndex(row, column, operator, value);
  }
}

/**
 * A condition that is checked on the scanned rows: neither database uses an index for a comparison
 * inside another expression, and PostgreSQL can still estimate its selectivity.
 */
function withoutIndex(
  row: Profiles,
  column: (typeof FILTERS)[Filter]['column'],
  operator: (typeof FILTERS)[Filter]['operator'],
  value: string | number,
): ExpressionWrapper<Schema, 'profile', SqlBool> {
  return row(row(column, operator, value), 'is', true);
}
