// Runs a search over segments to its end, for the tests of the engine.
import type { HitRow } from '../../src/engine/hits/hit-merge.ts';
import { searchTargets } from '../../src/engine/hits/multi-search.ts';
import { Searcher } from '../../src/engine/hits/searcher.ts';
import { QueryCache } from '../../src/engine/index/query-cache.ts';
import type { SegmentView } from '../../src/engine/sections/segment.ts';
import type { Mapping } from '../../src/query/mapping/mapping.ts';
import type { Plan } from '../../src/query/plan.ts';
import type { Query } from '../../src/query/query.ts';

/** A plan for one index; by default the first hundred hits with the total. */
export function searchPlan(query: Query, page: Partial<Plan> = {}): Plan {
  return {
    ...{ targets: [{ index: 'identities', query }], sort: [], from: 0, size: 100 },
    ...{ trackTotal: true, source: { includes: [], excludes: [], nested: true } },
    ...page,
  };
}

export interface EngineResult {
  readonly ids: (string | undefined)[];
  readonly docs: readonly HitRow[];
  readonly total: number | null;
  /** How many times the search yielded. */
  readonly yields: number;
}

/** Shared by all searches of a test file, so that searches that repeat use what was cached. */
const CACHE = new QueryCache();

/** Searches the segments of one index. */
export function searchSegments(
  mapping: Mapping,
  views: readonly SegmentView[],
  query: Query,
  page: Partial<Plan> = {},
): EngineResult {
  const searcher = new Searcher(mapping, { views, cache: CACHE });
  const targets = [{ index: 'identities', query, searcher }] as const;
  const { value, yields } = drive(searchTargets(targets, searchPlan(query, page)));
  const docs = value.hits;
  const ids = docs.map(({ view, row }) => views[view]?.segment.ids.term(row));
  return { ids, docs, total: value.total, yields };
}

/** Runs a generator to its end. */
export function drive<Value>(steps: Generator<void, Value>): { value: Value; yields: number } {
  for (let yields = 0; ; yields++) {
    const step = steps.next();
    if (step.done) return { value: step.value, yields };
  }
}
