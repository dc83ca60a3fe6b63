// Runs an advanced search. Where some condition is met by few profiles, it leads and the others are judged on those
// few; else the profiles are walked in the order asked for until the page is full, which is soon, as most match.
// Invariant: the way is chosen here by counting, and does not change what is found.
import type { Expression, SelectQueryBuilder } from 'kysely';
import type { ProfileOrder } from '../../identity/profiles/profile-records.ts';
import type {
  Condition,
  ProfileMatches,
  ProfileSearch,
} from '../../identity/profiles/profile-search.ts';
import type { Schema } from '../schema.ts';
import { type Executor, type Tree, tables } from '../statement.ts';
import { ORDER_COLUMN } from './profile-page.ts';
import { beside, holds, type Lead, leadsOf, leadsSlowly } from './search-conditions.ts';

/** The profiles that are not archived and meet all conditions. */
export async function matchingProfiles(
  executor: Executor,
  tenantId: string,
  search: ProfileSearch,
): Promise<ProfileMatches> {
  const { conditions, offset, limit, total } = search;
  if (conditions.some(({ kind }) => kind === 'never')) return { ids: [], total: total ? 0 : null };
  const leading = await leadingCondition(executor, tenantId, conditions);
  const rows = await executor.query(pageOf(tenantId, search, leading));
  const ids = rows.map(({ id }) => id);
  if (!total) return { ids, total: null };
  // A page that is not full tells the total, unless it lies beyond all.
  if (ids.length < limit && (ids.length > 0 || offset === 0)) {
    return { ids, total: offset + ids.length };
  }
  const [counted] = await executor.query(countOf(tenantId, search, leading));
  return { ids, total: Number(counted?.total ?? 0) };
}

/** Profiles a leading condition may name; to read and sort so many takes a few milliseconds. */
const LED_MAX = 4000;
/** So few that looking for fewer is not worth a query. */
const FEW = 100;

/** The condition that names the fewest profiles, where those are few. */
async function leadingCondition(
  executor: Executor,
  tenantId: string,
  conditions: readonly Condition[],
): Promise<Condition | null> {
  const slowLast = [...conditions].sort((a, b) => Number(leadsSlowly(a)) - Number(leadsSlowly(b)));
  let best: Condition | null = null;
  let fewest = LED_MAX + 1;
  for (const condition of slowLast) {
    const leads = leadsOf(tenantId, condition);
    if (leads === null || (best !== null && leadsSlowly(condition))) continue;
    let size = 0;
    for (const lead of leads) {
      if (size < fewest) size += await sizeOf(executor, lead, fewest);
    }
    if (size < fewest) [best, fewest] = [condition, size];
    if (fewest <= FEW) break;
  }
  return best;
}

/** How many a lead names, at most `limit`. */
async function sizeOf(executor: Executor, lead: Lead, limit: number): Promise<number> {
  const tree = sizeQuery(lead, limit);
  const [counted] = await executor.query(tree);
  return Number(counted?.size ?? 0);
}

export function sizeQuery(lead: Lead, limit: number): Tree<{ size: number | string }> {
  return tables
    .selectFrom(lead.limit(limit).as('named'))
    .select((row) => row.fn.countAll().as('size')) as Tree<{ size: number | string }>;
}

/** The ids of one page, in its order. */
export function pageOf(
  tenantId: string,
  { conditions, order, limit, offset }: ProfileSearch,
  leading: Condition | null,
): Tree<{ id: string }> {
  const column = ORDER_COLUMN[order];
  const matching = matchesOf(tenantId, conditions, leading, order).select('profile.id');
  const ordered = column === 'id' ? matching : matching.orderBy(`profile.${column}`);
  return ordered.orderBy('profile.id').limit(limit).offset(offset);
}

/** How many match. */
export function countOf(
  tenantId: string,
  { conditions }: ProfileSearch,
  leading: Condition | null,
): Tree<{ total: number | string }> {
  const matching = matchesOf(tenantId, conditions, leading, 'createdAt');
  return matching.select((row) => row.fn.countAll().as('total')) as Tree<{
    total: number | string;
  }>;
}

function matchesOf(
  tenantId: string,
  conditions: readonly Condition[],
  leading: Condition | null,
  order: ProfileOrder,
) {
  const walked = leading === null ? walkedAlong(conditions, order) : null;
  let matches = leading === null ? walkedProfiles(tenantId) : ledBy(tenantId, leading);
  if (walked !== null) matches = matches.where(walked.column, '=', walked.value);
  for (const condition of conditions) {
    if (condition === leading || condition === walked?.condition) continue;
    matches = matches.where((row) => holds(row, tenantId, condition));
  }
  return matches;
}

/** The profiles a condition names, each once, and read in that order: a cross join stays as it is written. */
function ledBy(tenantId: string, leading: Condition): Matches {
  const [first, ...others] = leadsOf(tenantId, leading) ?? [];
  if (first === undefined) throw new Error(`${leading.kind} does not lead`);
  const named = others.reduce((all, lead) => all.union(lead), first.distinct());
  return tables
    .selectFrom(named.as('named'))
    .crossJoin('profile')
    .where('profile.tenant_id', '=', tenantId)
    .whereRef('profile.id', '=', 'named.profile_id')
    .where((row) =>
      row(beside(row, 'profile.archived') as Expression<number>, '=', 0),
    ) as unknown as Matches;
}

function walkedProfiles(tenantId: string): Matches {
  return tables
    .selectFrom('profile')
    .where('profile.tenant_id', '=', tenantId)
    .where('profile.archived', '=', 0);
}

type Matches = SelectQueryBuilder<Schema, 'profile', object>;

/** A condition that some index keeps together in the order asked for; then only its profiles are walked. */
function walkedAlong(conditions: readonly Condition[], order: ProfileOrder) {
  for (const condition of conditions) {
    if (condition.kind === 'profileType' && !condition.negated) {
      if (order !== 'createdAt' && order !== 'profileTypeId') continue;
      return { condition, column: 'profile.profile_type_id', value: condition.id } as const;
    }
    if (condition.kind === 'status' && condition.statuses.length === 1) {
      const [value = ''] = condition.statuses;
      if (order !== 'createdAt' && order !== 'status') continue;
      return { condition, column: 'profile.status', value } as const;
    }
  }
  return null;
}
