// Searches one or several indexes as one: the hits of their segments are merged by sort keys, then
// index name, then id within an index.

import type { Plan } from '../../query/plan.ts';
import type { IndexName, Query, SortKey } from '../../query/query.ts';
import { scores } from '../scoring/scoring.ts';
import { type HitRow, mergeHits } from './hit-merge.ts';
import { Pruning } from './score-collector.ts';
import type { Searcher, SearchRequest } from './searcher.ts';
import type { SegmentHits } from './segment-hits.ts';
import { BY_SCORE } from './sort-order.ts';

/** One index of a search. */
export interface SearchTarget {
  readonly index: IndexName;
  readonly searcher: Searcher;
  readonly query: Query;
}

export interface FirstHits {
  readonly hits: readonly HitRow[];
  /** Exact; null unless the plan tracks it. */
  readonly total: number | null;
}

/** True if hits have a score: if the order depends on it. */
export function hasScores(
  targets: readonly { readonly query: Query }[],
  { sort }: Pick<Plan, 'sort'>,
): boolean {
  if (sort.length === 0) return targets.some(({ query }) => scores(query));
  return sort.some(({ type }) => type === 'score');
}

/** @param targets the targets of the plan that have an index, in index name order */
export function* searchTargets(
  targets: readonly SearchTarget[],
  plan: Plan,
): Generator<void, FirstHits> {
  const scored = plan.sort.length === 0 && hasScores(plan.targets, plan);
  const sort = scored ? BY_SCORE : plan.sort;
  if (plan.size === 0) {
    return { hits: [], total: plan.trackTotal ? yield* countAll(targets) : null };
  }
  const merged = yield* sort.length === 0
    ? mergeById(targets, plan)
    : mergeByKeys(targets, plan, sort);
  return { hits: merged.hits, total: plan.trackTotal ? merged.total : null };
}

interface Merged {
  readonly hits: readonly HitRow[];
  /** Valid if the plan tracks it. */
  readonly total: number;
}

function* countAll(targets: readonly SearchTarget[]): Generator<void, number> {
  let total = 0;
  for (const { searcher, query } of targets) total += yield* searcher.count(query);
  return total;
}

/** Index by index: once the page is full, the remaining indexes are only counted. */
function* mergeById(targets: readonly SearchTarget[], plan: Plan): Generator<void, Merged> {
  const end = plan.from + plan.size;
  const hits: HitRow[] = [];
  let merged = 0;
  let total = 0;
  for (const [target, { index, searcher, query }] of targets.entries()) {
    if (merged < end) {
      const request = requestOf(plan, [], end - merged);
      const parts = yield* searcher.search(query, { target, index, ...request });
      const page = yield* mergeHits(parts, [], plan.from - merged, end - merged);
      hits.push(...page.hits);
      merged += page.merged;
      if (plan.trackTotal) total += yield* countHits(parts);
    } else if (plan.trackTotal) total += yield* searcher.count(query);
  }
  return { hits, total };
}

function* mergeByKeys(
  targets: readonly SearchTarget[],
  plan: Plan,
  sort: readonly SortKey[],
): Generator<void, Merged> {
  const end = plan.from + plan.size;
  const request = requestOf(plan, sort, end);
  const parts: SegmentHits[] = [];
  for (const [target, { index, searcher, query }] of targets.entries()) {
    parts.push(...(yield* searcher.search(query, { target, index, ...request })));
  }
  const { hits } = yield* mergeHits(parts, sort, plan.from, end);
  return { hits, total: plan.trackTotal ? yield* countHits(parts) : 0 };
}

function requestOf(
  { searchAfter, trackTotal }: Plan,
  sort: readonly SortKey[],
  size: number,
): Omit<SearchRequest, 'target' | 'index'> {
  return { sort, searchAfter, size, trackTotal, pruning: new Pruning(size) };
}

function* countHits(parts: readonly SegmentHits[]): Generator<void, number> {
  let total = 0;
  for (const part of parts) total += yield* part.count();
  return total;
}
