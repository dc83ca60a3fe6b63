// Runs an advanced search. Where some condition is met by few profiles, it leads and the others are judged on those
// few; else the profiles are walked in the order asked for until the page is full, which is soon, as most match.
// Invariant: the way is chosen here by counting, and does not change what is found.
import type { Expression, SelectQueryBuilder } from 'kysely';
import type { ProfileOrder } from '../../identity/ports/profile-records.ts';
import type {
  BetweenStatements,
  Condition,
  ProfileMatches,
  ProfileSearch,
} from '../../identity/ports/profile-search.ts';
import type { Schema } from '../schema.ts';
import { type Executor, type Tree, tables } from '../statement.ts';
import { ORDER_COLUMN } from './profile-page.ts';
import { beside, holds, type Lead, leadsOf, leadsSlowly } from './search-conditions.ts';

/** Whom a search runs for, and on what. */
interface Run {
  readonly executor: Executor;
  readonly tenantId: string;
  readonly between: BetweenStatements;
}

/** Runs a query, which is built in the turn it was given: a hundred conditions take some milliseconds to write down. */
async function ask<R>({ executor, between }: Run, build: () => Tree<R>): Promise<readonly R[]> {
  await between();
  return executor.scan(build());
}

/** The profiles that are not archived and meet all conditions. */
export async function matchingProfiles(run: Run, search: ProfileSearch): Promise<ProfileMatches> {
  const { conditions, total } = search;
  if (conditions.some(({ kind }) => kind === 'never')) return { ids: [], total: total ? 0 : null };
  const leading = await leadingCondition(run, conditions);
  return leading === null ? walk(run, search) : judgeNamed(run, search, leading);
}

/** Profiles a leading condition may name; to read and sort so many takes a few milliseconds. */
const LED_MAX = 4000;
/** So few that looking for fewer is not worth a query. */
const FEW = 100;

/** The condition that names the fewest profiles, where those are few. */
async function leadingCondition(
  { executor, tenantId, between }: Run,
  conditions: readonly Condition[],
): Promise<Condition | null> {
  const slowLast = [...conditions].sort((a, b) => Number(leadsSlowly(a)) - Number(leadsSlowly(b)));
  let best: Condition | null = null;
  let fewest = LED_MAX + 1;
  for (const condition of slowLast) {
    const leads = leadsOf(tenantId, condition);
    if (leads === null || (best !== null && leadsSlowly(condition))) continue;
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

/** Conditions that one statement judges, on all its profiles together: it then takes some 50 ms. */
const JUDGED_MAX = 50_000;
/** Profiles of the first statement of a walk, by those of the page: where most match, it is full then. */
const FIRST_SLICE = 2;
/** How much longer the next slice is. */
const GROWTH = 4;

/** Profiles that one statement may judge. */
function sliceMax({ length }: readonly Condition[]): number {
  return Math.ceil(JUDGED_MAX / Math.max(1, length));
}

/** Walks the profiles in their order, a slice a statement, until the page is full and, where asked for, all are counted. */
async function walk(run: Run, search: ProfileSearch): Promise<ProfileMatches> {
  const { tenantId } = run;
  const { conditions, offset, limit, total } = search;
  const ids: string[] = [];
  let matches = 0;
  let after: Position | null = null;
  for (let size = FIRST_SLICE * (offset + limit); ; size *= GROWTH) {
    const most = Math.min(Math.max(1, size), sliceMax(conditions));
    const from: Position | null = after;
    const last = await ask(run, () => positionOf(tenantId, search, from, most));
    const slice: Slice = { after: from, until: last[0] ?? null };
    const missing = offset + limit - ids.length;
    const page = { ...search, offset: 0, limit: missing };
    const rows = missing === 0 ? [] : await ask(run, () => pageOf(tenantId, page, null, slice));
    for (const { id } of rows) ids.push(id);
    if (rows.length < missing) matches += rows.length;
    else if (total) {
      const [counted] = await ask(run, () => countOf(tenantId, search, null, slice));
      matches += Number(counted?.total ?? 0);
    } else break;
    if (slice.until === null) break;
    after = slice.until;
  }
  return { ids: ids.slice(offset), total: total ? matches : null };
}

/** Judges the profiles that a leading condition names, in their order, a slice a statement. */
async function judgeNamed(
  run: Run,
  search: ProfileSearch,
  leading: Condition,
): Promise<ProfileMatches> {
  const { tenantId } = run;
  const { conditions, offset, limit, total } = search;
  const others = conditions.filter((condition) => condition !== leading);
  const all = { ...search, conditions: [leading], offset: 0, limit: ALL };
  const named = (await ask(run, () => pageOf(tenantId, all, leading))).map(({ id }) => id);
  const matching: string[] = others.length === 0 ? named : [];
  const most = Math.min(NAMED_MAX, sliceMax(others));
  for (let at = 0; others.length > 0 && at < named.length; at += most) {
    if (!total && matching.length >= offset + limit) break;
    const slice = named.slice(at, at + most);
    const rows = await ask(run, () => judged(tenantId, others, slice));
    const kept = new Set(rows.map(({ id }) => id));
    for (const id of slice) if (kept.has(id)) matching.push(id);
  }
  return { ids: matching.slice(offset, offset + limit), total: total ? matching.length : null };
}

/** More than a leading condition names. */
const ALL = 2 ** 31 - 1;
/** Ids in one statement; both databases take several times as many parameters. */
const NAMED_MAX = 1000;

/** How many a lead names, at most `limit`. */
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

/** The ids of one page, in its order. */
export function pageOf(
  tenantId: string,
  { conditions, order, limit, offset }: ProfileSearch,
  leading: Condition | null,
  slice: Slice = WHOLE,
): Tree<{ id: string }> {
  const column = ORDER_COLUMN[order];
  const all = matchesOf(tenantId, conditions, leading, order);
  const matching = inSlice(all, order, slice).select('profile.id');
  const ordered = column === 'id' ? matching : matching.orderBy(`profile.${column}`);
  return ordered.orderBy('profile.id').limit(limit).offset(offset);
}

/** How many match. */
export function countOf(
  tenantId: string,
  { conditions, order }: ProfileSearch,
  leading: Condition | null,
  slice: Slice = WHOLE,
): Tree<{ total: number | string }> {
  const all = matchesOf(tenantId, conditions, leading, slice === WHOLE ? 'createdAt' : order);
  return inSlice(all, order, slice).select((row) => row.fn.countAll().as('total')) as Tree<{
    total: number | string;
  }>;
}

/** Which of these profiles meet the conditions; in no order. */
export function judged(
  tenantId: string,
  conditions: readonly Condition[],
  ids: readonly string[],
): Tree<{ id: string }> {
  let matches = walkedProfiles(tenantId).where('profile.id', 'in', [...ids]);
  for (const condition of conditions) {
    matches = matches.where((row) => holds(row, tenantId, condition));
  }
  return matches.select('profile.id');
}

/** Where a profile stands in an order. */
export interface Position {
  readonly id: string;
  readonly value: string;
}

/** The profiles of an order from one position, without it, to another one; null is open. */
export interface Slice {
  readonly after: Position | null;
  readonly until: Position | null;
}

const WHOLE: Slice = { after: null, until: null };

/** The last of `size` profiles that a walk comes to behind a position; none where there are fewer. */
export function positionOf(
  tenantId: string,
  { conditions, order }: ProfileSearch,
  after: Position | null,
  size: number,
): Tree<Position> {
  const column = ORDER_COLUMN[order];
  const walked = walkedAlong(conditions, order);
  let profiles = walkedProfiles(tenantId);
  if (walked !== null) profiles = profiles.where(walked.column, '=', walked.value);
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
