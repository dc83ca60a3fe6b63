// Aggregates over the indices of a plan: each segment's matching live rows go through the collectors of its index, what
// the indices come to is merged, and the result is told in the wire's form.
// Invariant: no result depends on how the documents are spread over segments.
import type { Aggregation, Aggregations } from '../../query/aggregation/aggregation.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName, Query } from '../../query/query.ts';
import { isLive } from '../index/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../index/segment.ts';
import { BitSetScorer } from '../matching/bit-set-scorer.ts';
import { createWeight } from '../matching/create-weight.ts';
import { AllScorer, type Scorer } from '../matching/scorer.ts';
import { scores } from '../scoring/scoring.ts';
import { Budget } from './budget.ts';
import {
  type Collector,
  IndexAggregation,
  RequestAggregation,
  type SegmentPlace,
} from './collector.ts';
import { createCollector } from './create-collector.ts';
import { HitSources, SegmentDocuments } from './hit-sources.ts';
import { type Intermediate, merge } from './intermediate.ts';
import { finishAll } from './results.ts';
import { BLOCK_ROWS, commonRows, type RowSet } from './rows.ts';

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
  for (const [of, wanted] of [
    [query, false],
    [ALL, true],
  ] as const) {
    const own = [...list.entries()].filter(([, { kind }]) => (kind === 'global') === wanted);
    if (own.length === 0 || index.views.length === 0) continue;
    const matches = yield* matchesOf(of, own, index);
    const collectors = own.map(([, aggregation]) => createCollector(aggregation, index));
    const always = own.some(([, aggregation]) => tellsOfOthers(aggregation));
    for (const [view, scorer] of matches.entries()) {
      if (scorer === null && !always) continue;
      const place = index.place(view, null);
      for (const collector of collectors) yield* collector.enter(place);
      if (scorer !== null) yield* collectMatches(scorer, place, collectors);
      for (const collector of collectors) yield* collector.leave();
    }
    for (const [number, collector] of collectors.entries()) {
      const at = own[number]![0];
      found[at] = yield* merge(found[at], yield* collector.result(0));
    }
  }
}

/** The matches in each view, and what the index is to know of them beforehand. */
function* matchesOf(
  query: Query,
  own: readonly (readonly [number, Aggregation])[],
  index: IndexAggregation,
): Generator<void, (Scorer | null)[]> {
  const { views } = index;
  const scoring = scores(query) && own.some(([, aggregation]) => needsScores(aggregation));
  index.scoring = scoring;
  index.score = 1;
  index.expectedDocuments = 0;
  const weight = yield* createWeight(query, { views, path: null, scoring, boost: 1 });
  const scorers: (Scorer | null)[] = [];
  for (const [number, view] of views.entries()) {
    const scorer = yield* weight.scorer(number);
    index.expectedDocuments += Math.min(scorer?.cost ?? 0, view.liveCount);
    scorers.push(scorer);
  }
  return scorers;
}

function* collectMatches(
  scorer: Scorer,
  place: SegmentPlace,
  collectors: readonly Collector[],
): Generator<void> {
  const { index } = place;
  const view = index.views[place.view]!;
  const set = index.scoring ? undefined : setOf(scorer, view);
  if (set !== undefined) {
    for (const collector of collectors) yield* collector.collectSet(set);
    return;
  }
  const rows = new Int32Array(BLOCK_ROWS);
  while (scorer.docId() !== NO_MORE_DOCS) {
    const count = fillBlock(rows, index.scoring ? 1 : index.blockRows, scorer, view);
    if (index.scoring && count > 0) index.score = scorer.score();
    for (const collector of collectors) collector.collect(rows, null, count);
    if (index.didRows(index.blockRows)) yield;
  }
}

/** The live matches as a set, where they are one. */
function setOf(scorer: Scorer, { liveDocs }: SegmentView): RowSet | undefined {
  if (scorer instanceof AllScorer) return liveDocs;
  return scorer instanceof BitSetScorer ? commonRows(scorer.bits, liveDocs) : undefined;
}

/** Puts the next live matches of so many candidates into a block, or the first of them alone. */
function fillBlock(rows: Int32Array, max: number, scorer: Scorer, view: SegmentView): number {
  let count = 0;
  for (let step = 0; step < BLOCK_ROWS && count < max; step++) {
    const row = scorer.nextDoc();
    if (row === NO_MORE_DOCS) break;
    if (isLive(view, row) && scorer.matches()) rows[count++] = row;
  }
  return count;
}

/** Whether buckets are told for what only other documents have. */
function tellsOfOthers(aggregation: Aggregation): boolean {
  if (aggregation.kind === 'terms' && aggregation.minDocCount === 0) return true;
  return (
    'aggregations' in aggregation && Object.values(aggregation.aggregations).some(tellsOfOthers)
  );
}

/** Only hits have scores, unless they are sorted by something else. */
function needsScores(aggregation: Aggregation): boolean {
  if (aggregation.kind === 'topHits') {
    return aggregation.sort.length === 0 || aggregation.sort.some(({ type }) => type === 'score');
  }
  return 'aggregations' in aggregation && Object.values(aggregation.aggregations).some(needsScores);
}
