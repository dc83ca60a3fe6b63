// Aggregates over the indices of a plan: each segment's matching live rows go through its collectors, what they come
// to is merged, and the result is told in the wire's form.
// Invariant: no result depends on how the documents are spread over segments.
import type { Aggregation, Aggregations } from '../../query/aggregation.ts';
import type { Mapping } from '../../query/mapping.ts';
import type { IndexName, Query } from '../../query/plan.ts';
import { isLive } from '../index/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../index/segment.ts';
import { createWeight } from '../search/create-weight.ts';
import { STEPS_PER_YIELD } from '../search/scorer.ts';
import { scores } from '../search/scoring.ts';
import { Budget } from './budget.ts';
import { type Collector, IndexAggregation, RequestAggregation } from './collector.ts';
import { createCollector } from './create-collector.ts';
import { HitSources, SegmentDocuments } from './hit-sources.ts';
import { type Intermediate, merge } from './intermediate.ts';
import { finishAll } from './results.ts';

/** One index with its part of the plan. */
export interface AggregationTarget {
  readonly index: IndexName;
  readonly mapping: Mapping;
  readonly views: readonly SegmentView[];
  readonly query: Query;
  readonly aggregations: Aggregations;
}

const ALL: Query = { kind: 'matchAll' };

/**
 * The aggregations of a plan, as JSON answers have them.
 * @param forms the aggregations of every index of the plan, also of those that have no documents
 * @throws ServiceError `limit_exceeded`; and what createWeight throws
 */
export function* aggregate(
  targets: readonly AggregationTarget[],
  forms: readonly Aggregations[],
  maxBuckets: number,
): Generator<void, Record<string, unknown>> {
  const found: (Intermediate | undefined)[] = [];
  const request = new RequestAggregation(targets.length);
  for (const [number, target] of targets.entries()) {
    const index = new IndexAggregation(target.index, number, target.views, request);
    yield* aggregateIndex(index, target, found);
  }
  const hits = new HitSources(targets, new SegmentDocuments(targets));
  const context = { budget: new Budget(maxBuckets), hits, request };
  return yield* finishAll(forms, found, context);
}

function* aggregateIndex(
  index: IndexAggregation,
  { query, aggregations }: AggregationTarget,
  found: (Intermediate | undefined)[],
): Generator<void> {
  const list = Object.values(aggregations);
  const global = list.map(({ kind }) => kind === 'global');
  for (const [of, wanted] of [
    [query, false],
    [ALL, true],
  ] as const) {
    if (!global.includes(wanted)) continue;
    const scoring = scores(of) && list.some(needsScores);
    const scope = { views: index.views, path: null, scoring, boost: 1 };
    index.scoring = scoring;
    index.score = 1;
    const weight = yield* createWeight(of, scope);
    for (const view of index.views.keys()) {
      const place = index.place(view, null);
      const collectors: (Collector | null)[] = [];
      for (const [at, aggregation] of list.entries()) {
        const own = global[at] === wanted;
        collectors.push(own ? yield* createCollector(aggregation, place) : null);
      }
      const scorer = yield* weight.scorer(view);
      if (scorer !== null) {
        const active = collectors.filter((collector) => collector !== null);
        const on = index.views[view]!;
        index.steps = 0;
        for (let row = scorer.nextDoc(); row !== NO_MORE_DOCS; row = scorer.nextDoc()) {
          index.steps += active.length + 1;
          if (index.steps >= STEPS_PER_YIELD) {
            index.steps = 0;
            yield;
          }
          if (!isLive(on, row) || !scorer.matches()) continue;
          if (scoring) index.score = scorer.score();
          for (const collector of active) collector.collect(row, 0);
        }
      }
      for (const [at, collector] of collectors.entries()) {
        if (collector === null) continue;
        found[at] = yield* merge(found[at], yield* collector.result(0));
      }
    }
  }
}

/** Only hits have scores, unless they are sorted by something else. */
function needsScores(aggregation: Aggregation): boolean {
  if (aggregation.kind === 'topHits') {
    return aggregation.sort.length === 0 || aggregation.sort.some(({ type }) => type === 'score');
  }
  return 'aggregations' in aggregation && Object.values(aggregation.aggregations).some(needsScores);
}
