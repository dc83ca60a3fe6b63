// The queries behind lists of profiles. Each order has an index that begins with it and ends with what filters look at
// (migrations/0002-profiles.ts), so a page is a walk along one index and only the records shown are read.
// Invariant: the way is chosen here, not by the database's guess at how rare a value is: a filter that does not lead
// the way is written so that no index is looked up by it.
import type { ExpressionBuilder, ExpressionWrapper, SelectQueryBuilder, SqlBool } from 'kysely';
import type {
  ProfileFilters,
  ProfileOrder,
  ProfileWindow,
} from '../../identity/ports/profile-records.ts';
import type { ProfileTable, Schema } from '../schema.ts';
import { type Tree, tables } from '../statement.ts';

/** A profile's own columns, without the tenant's. */
export type ProfileRow = Omit<ProfileTable, 'tenant_id' | 'uid_folded' | 'name_folded'>;

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
  name: { column: 'name_folded', operator: '=' },
  profileTypeId: { column: 'profile_type_id', operator: '=' },
  status: { column: 'status', operator: '=' },
  updatedAfter: { column: 'updated_at', operator: '>' },
} as const;

type Filter = keyof typeof FILTERS;

/** The ids of one page, in its order; the walk's index has all of it. */
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
  // Few have the same name: those are sorted, and no index of the order is to be walked for them.
  const ordered =
    filters.name === undefined
      ? order === 'id'
        ? ids
        : ids.orderBy(ORDER_COLUMN[order])
      : ids.orderBy((row) => row.fn.coalesce(ORDER_COLUMN[order], ORDER_COLUMN[order]));
  return ordered.orderBy('id').limit(limit).offset(offset);
}

/** The records with these ids or uids, in no order. */
export function profilesBy(
  tenantId: string,
  column: 'id' | 'uid',
  keys: string[],
): Tree<ProfileRow> {
  return tables
    .selectFrom('profile')
    .select(['id', 'uid', 'name', 'profile_type_id', 'status', 'id_proofing_status'])
    .select(['archived', 'created_at', 'updated_at'])
    .where('tenant_id', '=', tenantId)
    .where(column, 'in', keys);
}

/** How many records the filters leave; there is no order to keep, so the database chooses the way. */
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

/** The filters the walk's index begins with. */
function leadingFilters(filters: ProfileFilters, window: ProfileWindow): ReadonlySet<Filter> {
  if ('afterId' in window) return new Set();
  if (filters.name !== undefined) return new Set(['archived', 'name']);
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
  for (const [name, { column, operator }] of Object.entries(FILTERS)) {
    const given = filters[name as Filter];
    if (given === undefined) continue;
    const value = typeof given === 'boolean' ? Number(given) : given;
    result = leading.has(name as Filter)
      ? result.where(column, operator, value)
      : result.where((row) => beside(row, column, operator, value));
  }
  return result;
}

/**
 * A condition that is judged on the walk: neither database looks a comparison up that stands in another expression, and
 * PostgreSQL still knows how many meet this one.
 */
function beside(
  row: ExpressionBuilder<Schema, 'profile'>,
  column: (typeof FILTERS)[Filter]['column'],
  operator: '=' | '>',
  value: string | number,
): ExpressionWrapper<Schema, 'profile', SqlBool> {
  return row(row(column, operator, value), 'is', true);
}
