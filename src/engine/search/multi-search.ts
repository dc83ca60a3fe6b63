// Several indexes searched as one: each answers its first documents, and they are merged by sort values, then index
// name; ids decide within an index.
import type { IndexName, Plan, Query, SortKey } from '../../query/plan.ts';
import { Pruning } from './score-collector.ts';
import { scores } from './scoring.ts';
import type { ScoredDoc, Searcher } from './searcher.ts';
import { BY_SCORE, compareSortValues } from './sort-order.ts';

/** What is asked of one index. */
export interface SearchTarget {
  readonly index: IndexName;
  readonly searcher: Searcher;
  readonly query: Query;
}

/** A document found, and where. */
export interface FoundDoc {
  readonly index: IndexName;
  readonly doc: ScoredDoc;
}

export interface FoundDocs {
  readonly hits: FoundDoc[];
  /** Exact; null unless the plan tracks it. */
  readonly total: number | null;
}

/** Whether hits have a score: where the order depends on it. */
export function hasScores(
  targets: readonly { readonly query: Query }[],
  { sort }: Pick<Plan, 'sort'>,
): boolean {
  if (sort.length === 0) return targets.some(({ query }) => scores(query));
  return sort.some(({ type }) => type === 'score');
}

/** @param targets those of the plan that have an index, in index name order; how hits are ordered the plan says as a whole */
export function* searchTargets(
  targets: readonly SearchTarget[],
  plan: Plan,
): Generator<void, FoundDocs> {
  const scored = plan.sort.length === 0 && hasScores(plan.targets, plan);
  const sort = scored ? [BY_SCORE] : plan.sort;
  const end = plan.size === 0 ? 0 : plan.from + plan.size;
  const lists: FoundDoc[][] = [];
  const pruning = new Pruning(Math.max(1, end));
  let total = 0;
  let found = 0;
  for (const { index, searcher, query } of targets) {
    // In index order, what comes behind a full page is only counted.
    const size = sort.length === 0 ? Math.max(0, end - found) : end;
    if (size === 0 && !plan.trackTotal) continue;
    const { searchAfter } = plan;
    const top = yield* searcher.search(query, {
      sort,
      searchAfter,
      size,
      trackTotal: plan.trackTotal,
      pruning,
    });
    total += top.total ?? 0;
    found += top.docs.length;
    lists.push(top.docs.map((doc) => ({ index, doc })));
  }
  const merged = sort.length === 0 ? lists.flat() : yield* merge(lists, sort, end);
  const page = merged.slice(plan.from, end);
  const hits = scored ? page.map(({ index, doc }) => ({ index, doc: { ...doc, sort: [] } })) : page;
  return { hits, total: plan.trackTotal ? total : null };
}

const MERGE_STEPS = 1024;

function* merge(
  lists: readonly FoundDoc[][],
  sort: readonly SortKey[],
  size: number,
): Generator<void, FoundDoc[]> {
  const merged: FoundDoc[] = [];
  const at = lists.map(() => 0);
  while (merged.length < size) {
    let best: FoundDoc | undefined;
    let from = -1;
    for (const [list, docs] of lists.entries()) {
      const next = docs[at[list]!];
      if (next === undefined) continue;
      // Lists stand in index order: one that ties with an earlier one is behind it.
      const order = best && compareSortValues(sort, next.doc.sort, best.doc.sort, () => 1);
      if (order !== undefined && order >= 0) continue;
      best = next;
      from = list;
    }
    if (best === undefined) break;
    merged.push(best);
    at[from]! += 1;
    if (merged.length % MERGE_STEPS === 0) yield;
  }
  return merged;
}
