// Metamorphic checks: queries whose results follow from that of another one: the same documents
// counted, filtered without scores, sorted differently, matched twice in one query, aggregated and
// paged; and the complement. Each takes another path through the engine.
import assert from 'node:assert/strict';
import { hasScores } from '../../src/engine/hits/multi-search.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { Query, SortKey, SortValue } from '../../src/query/query.ts';
import { ALL_ROWS, type OpenWorld } from './open-world.ts';
import type { World } from './world.ts';

/** Approximate number of pages when paging through all. */
const PAGES = 5;

/** @throws AssertionError with the query whose result is inconsistent */
export function assertRelated(on: OpenWorld, plan: Plan): void {
  const { searchAfter: _after, maxBuckets: _buckets, ...asked } = plan;
  const base: Plan = { ...asked, sort: [], from: 0, size: ALL_ROWS, trackTotal: true };
  if (plan.targets.some(({ innerHit }) => innerHit !== undefined)) {
    assert.equal(on.count(base), on.find(base).total, 'elements counted');
    if (plan.elementOrder) assertElementsWalked(on, { ...base, sort: plan.sort });
    return;
  }
  const ids = on.findIds(base);
  const sorted = [...ids].sort();
  assert.equal(on.count(base), ids.length, 'counted');
  assert.equal(on.find({ ...base, size: 0 }).total, ids.length, 'counted by a search for no rows');
  const filtered = withQueries(base, (query) => boolOf({ filter: [query] }));
  assert.deepEqual(on.findIds(filtered).sort(), sorted, 'filtered, without scores');
  const doubled = withQueries(base, (query) => boolOf({ should: [query, query] }));
  const twice = on.findIds(doubled);
  assert.deepEqual([...twice].sort(), sorted, 'twice in one query');
  // Doubled scores keep the order; rows without a score may get one.
  if (hasScores(plan.targets, base)) assert.deepEqual(twice, ids, 'twice in one query, by score');
  const rest = withQueries(base, (query) => boolOf({ must: [ALL], mustNot: [query] }));
  assert.deepEqual(on.findIds(rest).sort(), others(on.world, plan, ids), 'the rest');
  assert.equal(aggregatedCount(on, base), ids.length, 'values of id, aggregated');
  const best = on.findIds({ ...base, size: 3, trackTotal: false });
  assert.deepEqual(best, ids.slice(0, 3), 'the first three, not counted');
  assertWalked(on, base, plan.sort, sorted);
}

/** Pages by searchAfter return each element once, in the order of one large page. */
function assertElementsWalked(on: OpenWorld, plan: Plan): void {
  const { rows: whole } = on.find(plan);
  for (const size of [1, 2, 7]) {
    const walked: (typeof whole)[number][] = [];
    for (let rest: Plan = { ...plan, size }; walked.length < WALKED; ) {
      const { rows } = on.find(rest);
      walked.push(...rows);
      if (rows.length < size) break;
      rest = { ...rest, trackTotal: false, searchAfter: rows.at(-1)!.sort };
    }
    const expected = whole.slice(0, Math.ceil(WALKED / size) * size);
    assert.deepEqual(walked, expected, `elements walked by pages of ${size}`);
  }
}

/** Elements that are walked over, as a large world has thousands. */
const WALKED = 60;

const ALL: Query = { kind: 'matchAll' };

type Bool = Extract<Query, { readonly kind: 'bool' }>;

function boolOf(clauses: Partial<Bool>): Query {
  return { kind: 'bool', must: [], filter: [], should: [], mustNot: [], ...clauses };
}

function withQueries(plan: Plan, change: (query: Query) => Query): Plan {
  const targets = plan.targets.map((target) => ({ ...target, query: change(target.query) }));
  return { ...plan, targets };
}

function others(world: World, plan: Plan, ids: readonly string[]): string[] {
  const matches = new Set(ids);
  return plan.targets
    .flatMap(({ index }) =>
      (world.indexes.get(index)?.documents ?? []).map(({ id }) => `${index} ${id}`),
    )
    .filter((id) => !matches.has(id))
    .sort();
}

function aggregatedCount(on: OpenWorld, plan: Plan): number {
  const aggregations = { ids: { kind: 'valueCount', source: { kind: 'id' } } } as const;
  const targets = plan.targets.map((target) => ({ ...target, aggregations }));
  const { aggregations: results } = on.find({ ...plan, targets, size: 0, maxBuckets: 10 });
  const { ids } = JSON.parse(JSON.stringify(results)) as { ids: { value: number } };
  return ids.value;
}

const BY_ID: SortKey = { field: 'id', order: 'asc', type: 'string' };

/**
 * Paging by the plan's keys and the id returns each document once, in the order of one large page.
 */
function assertWalked(
  on: OpenWorld,
  base: Plan,
  keys: readonly SortKey[],
  sorted: readonly string[],
): void {
  const hasDoc = keys.some(({ type }) => type === 'doc');
  const sort = hasDoc || base.targets.length > 1 ? [BY_ID] : [...keys, BY_ID];
  const whole = on.findIds({ ...base, sort });
  assert.deepEqual([...whole].sort(), sorted, 'sorted');
  // Documents of two indexes may have the same id, with a page boundary between them.
  if (base.targets.length > 1) return;
  const size = Math.max(1, Math.ceil(whole.length / PAGES));
  const walked: string[] = [];
  let searchAfter: readonly SortValue[] | undefined;
  for (let page = 0; page <= PAGES; page++) {
    const plan: Plan = { ...base, sort, size, ...(searchAfter && { searchAfter }) };
    walked.push(...on.findIds(plan));
    searchAfter = on.find(plan).rows.at(-1)?.sort;
    if (searchAfter === undefined) break;
  }
  assert.deepEqual(walked, whole, 'walked by searchAfter');
}
