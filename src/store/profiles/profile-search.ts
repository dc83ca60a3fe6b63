// Runs an advanced search. If a condition matches few profiles, it leads: an index lists those, and
// the other conditions are checked on them. Otherwise the profiles are scanned in the requested
// order until the page is full, which is soon, as most match.
// Invariant: the strategy is chosen by counting here, and does not change the result.
import type { Expression, SelectQueryBuilder } from 'kysely';
import type { ProfileOrder } from '../../service/ports/profile-records.ts';
import type {
  BetweenStatements,
  Condition,
  ProfileMatches,
  ProfileSearch,
} from '../../service/ports/profile-search.ts';
import type { Schema } from '../sql/schema.ts';
import { type Executor, type Tree, tables } from '../sql/statement.ts';
import { ORDER_COLUMN } from './profile-page.ts';
import {
  type Lead,
  leadsOf,
  matchesCondition,
  type Scope,
  scansAttribute,
  withoutIndex,
} from './search-conditions.ts';

/** What a search runs on. */
interface Run {
  readonly executor: Executor;
  readonly tenantId: string;
  readonly between: BetweenStatements;
}

/** Builds and runs a query after yielding: a hundred conditions take some milliseconds to build. */
async function runQuery<R>(
  { executor, between }: Run,
  build: () => Tree<R>,
): Promise<readonly R[]> {
  await between();
  return executor.scan(build());
}

/** The profiles that match all conditions. */
export async function matchingProfiles(run: Run, search: ProfileSearch): Promise<ProfileMatches> {
  const { conditions, total } = search;
  if (conditions.some(({ kind }) => kind === 'never')) return { ids: [], total: total ? 0 : null };
  const leading = await leadingCondition(run, search);
  return leading === null ? scanInOrder(run, search) : filterLed(run, search, leading);
}

/** Most profiles of a leading condition; reading and sorting them takes a few milliseconds. */
const LED_MAX = 4000;
/** A lead this small is good enough: no further condition is counted. */
const FEW = 100;

/** Returns the condition that matches the fewest profiles, or null if none matches few. */
async function leadingCondition(
  { executor, tenantId, between }: Run,
  { conditions, archived }: ProfileSearch,
): Promise<Condition | null> {
  const slowLast = [...conditions].sort(
    (a, b) => Number(scansAttribute(a)) - Number(scansAttribute(b)),
  );
  let best: Condition | null = null;
  let fewest = LED_MAX + 1;
  for (const condition of slowLast) {
    const leads = leadsOf({ tenantId, archived }, condition);
    if (leads === null || (best !== null && scansAttribute(condition))) continue;
    await between();
    let size = 0;
    for (const lead of leads) {
      if (size < fewest) size += await sizeOf(executor, lead, fewest);
    }
    if (size < fewest) [best, fewest] = [condition, size];
    if (fewest <= FEW) break;
  }
  return best;
}

/** Conditions times profiles that one statement checks; it then takes some 50 ms. */
const CHECKS_MAX = 50_000;
/** Size of the first slice of a scan, in pages: if most profiles match, it fills the page. */
const FIRST_SLICE = 2;
/** Growth factor of the slices. */
const GROWTH = 4;

/** Profiles that one statement may check. */
function sliceMax({ length }: readonly Condition[]): number {
  return Math.ceil(CHECKS_MAX / Math.max(1, length));
}

/**
 * Scans the profiles in order, one slice per statement, until the page is full and all are counted.
 */
async function scanInOrder(run: Run, search: ProfileSearch): Promise<ProfileMatches> {
  const { tenantId } = run;
  const { conditions, offset, limit, total } = search;
  const ids: string[] = [];
  let matches = 0;
  let after: Position | null = null;
  for (let size = FIRST_SLICE * (offset + limit); ; size *= GROWTH) {
    const most = Math.min(Math.max(1, size), sliceMax(conditions));
    const from: Position | null = after;
    const last = await runQuery(run, () => positionOf(tenantId, search, from, most));
    const slice: Slice = { after: from, until: last[0] ?? null };
    const missing = offset + limit - ids.length;
    const page = { ...search, offset: 0, limit: missing };
    const rows =
      missing === 0 ? [] : await runQuery(run, () => pageOf(tenantId, page, null, slice));
    for (const { id } of rows) ids.push(id);
    if (rows.length < missing) matches += rows.length;
    else if (total) {
      const [counted] = await runQuery(run, () => countOf(tenantId, search, null, slice));
      matches += Number(counted?.total ?? 0);
    } else break;
    if (slice.until === null) break;
    after = slice.until;
  }
  return { ids: ids.slice(offset), total: total ? matches : null };
}

/**
 * Checks the other conditions on the profiles of the leading one, in order, one slice per
 * statement.
 */
async function filterLed(
  run: Run,
  search: ProfileSearch,
  leading: Condition,
): Promise<ProfileMatches> {
  const { tenantId } = run;
  const { conditions, archived, offset, limit, total } = search;
  const others = conditions.filter((condition) => condition !== leading);
  const all = { ...search, conditions: [leading], offset: 0, limit: ALL };
  const ledIds = (await runQuery(run, () => pageOf(tenantId, all, leading))).map(({ id }) => id);
  const matchingSoFar: string[] = others.length === 0 ? ledIds : [];
  const most = Math.min(NAMED_MAX, sliceMax(others));
  for (let at = 0; others.length > 0 && at < ledIds.length; at += most) {
    if (!total && matchingSoFar.length >= offset + limit) break;
    const slice = ledIds.slice(at, at + most);
    const rows = await runQuery(run, () => matchesAmong({ tenantId, archived }, others, slice));
    const matchingIds = new Set(rows.map(({ id }) => id));
    for (const id of slice) if (matchingIds.has(id)) matchingSoFar.push(id);
  }
  return {
    ids: matchingSoFar.slice(offset, offset + limit),
    total: total ? matchingSoFar.length : null,
  };
}

/** No limit: more than a leading condition may match. */
const ALL = 2 ** 31 - 1;
/** Ids in one statement; both databases accept several times as many parameters. */
const NAMED_MAX = 1000;

/** How many profiles a lead lists, at most `limit`. */
async function sizeOf(executor: Executor, lead: Lead, limit: number): Promise<number> {
  const tree = sizeQuery(lead, limit);
  const [counted] = await executor.scan(tree);
  return Number(counted?.size ?? 0);
}

export function sizeQuery(lead: Lead, limit: number): Tree<{ size: number | string }> {
  return tables
    .selectFrom(lead.limit(limit).as('named'))
    .select((row) => row.fn.countAll().as('size')) as Tree<{ size: number | string }>;
}

/** Selects the ids of one page, in its order. */
export function pageOf(
  tenantId: string,
  { conditions, archived, order, limit, offset }: ProfileSearch,
  leading: Condition | null,
  slice: Slice = WHOLE,
): Tree<{ id: string }> {
  const column = ORDER_COLUMN[order];
  const all = matchesOf({ tenantId, archived }, conditions, leading, order);
  const matching = inSlice(all, order, slice).select('profile.id');
  const ordered = column === 'id' ? matching : matching.orderBy(`profile.${column}`);
  return ordered.orderBy('profile.id').limit(limit).offset(offset);
}

/** Counts the matches. */
export function countOf(
  tenantId: string,
  { conditions, archived, order }: ProfileSearch,
  leading: Condition | null,
  slice: Slice = WHOLE,
): Tree<{ total: number | string }> {
  const scope = { tenantId, archived };
  const all = matchesOf(scope, conditions, leading, slice === WHOLE ? 'createdAt' : order);
  return inSlice(all, order, slice).select((row) => row.fn.countAll().as('total')) as Tree<{
    total: number | string;
  }>;
}

/** Selects those of the given profiles that match the conditions, in no particular order. */
export function matchesAmong(
  scope: Scope,
  conditions: readonly Condition[],
  ids: readonly string[],
): Tree<{ id: string }> {
  let rows = profilesIn(scope).where('profile.id', 'in', [...ids]);
  for (const condition of conditions) {
    rows = rows.where((row) => matchesCondition(row, scope.tenantId, condition));
  }
  return rows.select('profile.id');
}

/** The sort key of a profile in an order. */
export interface Position {
  readonly id: string;
  readonly value: string;
}

/** The profiles of an order after one position up to and including another; null is unbounded. */
export interface Slice {
  readonly after: Position | null;
  readonly until: Position | null;
}

const WHOLE: Slice = { after: null, until: null };

/** Selects the position of the `size`-th profile after a position; no row if there are fewer. */
export function positionOf(
  tenantId: string,
  { conditions, archived, order }: ProfileSearch,
  after: Position | null,
  size: number,
): Tree<Position> {
  const column = ORDER_COLUMN[order];
  const equality = equalityOfScan(conditions, order);
  let profiles = profilesIn({ tenantId, archived });
  if (equality !== null) profiles = profiles.where(equality.column, '=', equality.value);
  const positions = inSlice(profiles, order, { after, until: null }).select((row) => [
    'profile.id',
    row.ref(`profile.${column}`).as('value'),
  ]);
  const ordered = column === 'id' ? positions : positions.orderBy(`profile.${column}`);
  return ordered
    .orderBy('profile.id')
    .limit(1)
    .offset(size - 1) as unknown as Tree<Position>;
}

function inSlice(matches: Matches, order: ProfileOrder, { after, until }: Slice): Matches {
  let sliced = matches;
  for (const [operator, position] of [['>', after] as const, ['<=', until] as const]) {
    if (position === null) continue;
    const column = ORDER_COLUMN[order];
    sliced = sliced.where((row) =>
      column === 'id'
        ? row('profile.id', operator, position.id)
        : row(
            row.refTuple(`profile.${column}`, 'profile.id'),
            operator,
            row.tuple(position.value, position.id),
          ),
    );
  }
  return sliced;
}

function matchesOf(
  scope: Scope,
  conditions: readonly Condition[],
  leading: Condition | null,
  order: ProfileOrder,
) {
  const equality = leading === null ? equalityOfScan(conditions, order) : null;
  let rows = leading === null ? profilesIn(scope) : profilesOfLead(scope, leading);
  if (equality !== null) rows = rows.where(equality.column, '=', equality.value);
  for (const condition of conditions) {
    if (condition === leading || condition === equality?.condition) continue;
    rows = rows.where((row) => matchesCondition(row, scope.tenantId, condition));
  }
  return rows;
}

/** The profiles of a leading condition, each once; a cross join keeps the join order as written. */
function profilesOfLead(scope: Scope, leading: Condition): Matches {
  const [first, ...others] = leadsOf(scope, leading) ?? [];
  if (first === undefined) throw new Error(`${leading.kind} does not lead`);
  const named = others.reduce((all, lead) => all.union(lead), first.distinct());
  return tables
    .selectFrom(named.as('named'))
    .crossJoin('profile')
    .where('profile.tenant_id', '=', scope.tenantId)
    .whereRef('profile.id', '=', 'named.profile_id')
    .where((row) =>
      row(withoutIndex(row, 'profile.archived') as Expression<number>, '=', Number(scope.archived)),
    ) as unknown as Matches;
}

function profilesIn({ tenantId, archived }: Scope): Matches {
  return tables
    .selectFrom('profile')
    .where('profile.tenant_id', '=', tenantId)
    .where('profile.archived', '=', Number(archived));
}

type Matches = SelectQueryBuilder<Schema, 'profile', object>;

/**
 * A condition that has an index in the requested order; only profiles that match it are scanned.
 */
function equalityOfScan(conditions: readonly Condition[], order: ProfileOrder) {
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
