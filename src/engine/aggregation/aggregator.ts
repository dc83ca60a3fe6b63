// Runs the aggregations of a plan: the live matches of each segment go through the collectors of
// their index, the results of the indices are merged, and the merged result becomes the JSON of the
// response.
// Invariant: no result depends on how the documents are spread over segments.
import type { Aggregation, Aggregations } from '../../query/aggregation.ts';
import { DateCache } from '../../query/dates/date-cache.ts';
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName, Query } from '../../query/query.ts';
import { DerivedPart, type IndexSegments } from '../index/query-cache.ts';
import { createWeight } from '../matching/create-weight.ts';
import { gatherRows, isDense, knownRows } from '../matching/known-rows.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { scores } from '../scoring/scoring.ts';
import { isLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../sections/segment.ts';
import { Budget } from './collecting/budget.ts';
import {
  type Collector,
  IndexAggregation,
  RequestAggregation,
  type SegmentContext,
} from './collecting/collector.ts';
import { HitSources, SegmentDocuments } from './collecting/hit-sources.ts';
import { type Intermediate, merge } from './collecting/intermediate.ts';
import { BLOCK_ROWS, type CountedSet, commonRows } from './collecting/rows.ts';
import { createCollector } from './create-collector.ts';
import { finishAll } from './results.ts';

/** One index with its part of the plan. */
export interface AggregationTarget extends IndexSegments {
  readonly index: IndexName;
  readonly mapping: Mapping;
  readonly query: Query;
  readonly aggregations: Aggregations;
}

const ALL: Query = { kind: 'matchAll' };

/**
 * Returns the aggregations of a plan in the form of the response.
 * @param aggregationsByIndex the aggregations of each index of the plan, including indices without
 * documents
 * @throws ServiceError `limit_exceeded`, and the errors of createWeight
 */
export function* aggregate(
  targets: readonly AggregationTarget[],
  aggregationsByIndex: readonly Aggregations[],
  maxBuckets: number,
): Generator<void, Record<string, unknown>> {
  const results: (Intermediate | undefined)[] = [];
  const request = new RequestAggregation(targets.length, datesFor(targets));
  for (const [number, target] of targets.entries()) {
    const index = new IndexAggregation(target.index, number, target, request);
    yield* aggregateIndex(index, target, results);
  }
  const hits = new HitSources(targets, new SegmentDocuments(targets));
  const context = { budget: new Budget(maxBuckets), hits, request };
  return yield* finishAll(aggregationsByIndex, results, context);
}

const DATES = new DerivedPart(() => new DateCache());

/** What earlier aggregations computed about dates. */
function datesFor([target]: readonly AggregationTarget[]): DateCache {
  return target === undefined ? new DateCache() : target.cache.single(DATES);
}

function* aggregateIndex(
  index: IndexAggregation,
  { query, aggregations }: AggregationTarget,
  results: (Intermediate | undefined)[],
): Generator<void> {
  const entries = [...Object.values(aggregations).entries()];
  for (const [matchedQuery, isGlobal] of [
    [query, false],
    [ALL, true],
  ] as const) {
    const selected = entries.filter(([, { kind }]) => (kind === 'global') === isGlobal);
    if (selected.length === 0 || index.views.length === 0) continue;
    const matches = yield* matchesOf(matchedQuery, selected, index);
    const collectors = selected.map(([, aggregation]) => createCollector(aggregation, index));
    const collectsAll = selected.some(([, aggregation]) => includesEmptyTerms(aggregation));
    for (const [view, scorer] of matches.entries()) {
      if (scorer === null && !collectsAll) continue;
      const context = index.contextOf(view, null);
      for (const collector of collectors) yield* collector.enter(context);
      if (scorer !== null) yield* collectMatches(scorer, context, collectors);
      for (const collector of collectors) yield* collector.leave();
    }
    for (const [number, collector] of collectors.entries()) {
      const at = selected[number]![0];
      results[at] = yield* merge(results[at], yield* collector.result(0));
    }
  }
}

/** Returns a scorer for each view, and sets what the index needs before collection. */
function* matchesOf(
  query: Query,
  selected: readonly (readonly [number, Aggregation])[],
  index: IndexAggregation,
): Generator<void, (Scorer | null)[]> {
  const { views, cache } = index;
  const scoring = scores(query) && selected.some(([, aggregation]) => needsScores(aggregation));
  index.scoring = scoring;
  index.score = 1;
  index.expectedDocuments = 0;
  const weight = yield* createWeight(query, { views, cache, path: null, scoring, boost: 1 });
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
  context: SegmentContext,
  collectors: readonly Collector[],
): Generator<void> {
  const { index } = context;
  const view = index.views[context.view]!;
  const set = index.scoring ? undefined : yield* setOf(scorer, view);
  if (set !== undefined) {
    for (const collector of collectors) /* path: a set */ yield* collector.collectSet(set);
    return;
  }
  const rows = new Int32Array(BLOCK_ROWS);
  while (scorer.docId() !== NO_MORE_DOCS) {
    const count = fillBlock(rows, index.scoring ? 1 : index.blockRows, scorer, view);
    if (index.scoring && count > 0) /* path: with scores */ index.score = scorer.score();
    for (const collector of collectors) {
      // path: block of rows
      collector.collect(rows, null, count);
    }
    if (index.recordRows(index.blockRows)) yield;
  }
}

/** Returns the live matches as a set; undefined if they are few and no set is known. */
function* setOf(
  scorer: Scorer,
  { liveDocs, segment: { docCount } }: SegmentView,
): Generator<void, CountedSet | undefined> {
  const known = yield* knownRows(scorer, docCount);
  if (known !== undefined) return commonRows(known, liveDocs, docCount);
  if (!isDense(scorer, docCount)) return undefined;
  // path: matches gathered
  return commonRows(yield* gatherRows(scorer, docCount), liveDocs, docCount);
}

/** Fills a block with up to `max` live matches, from at most one block of candidates. */
function fillBlock(rows: Int32Array, max: number, scorer: Scorer, view: SegmentView): number {
  let count = 0;
  for (let step = 0; step < BLOCK_ROWS && count < max; step++) {
    const row = scorer.nextDoc();
    if (row === NO_MORE_DOCS) break;
    if (isLive(view, row) && scorer.matches()) rows[count++] = row;
  }
  return count;
}

/** True if the aggregation has buckets for terms of documents that do not match. */
function includesEmptyTerms(aggregation: Aggregation): boolean {
  if (aggregation.kind === 'terms' && aggregation.minDocCount === 0) return true;
  return (
    'aggregations' in aggregation &&
    Object.values(aggregation.aggregations).some(includesEmptyTerms)
  );
}

/** True if a `top_hits` needs scores: one without a sort, or sorted by score. */
function needsScores(aggregation: Aggregation): boolean {
  if (aggregation.kind === 'topHits') {
    return aggregation.sort.length === 0 || aggregation.sort.some(({ type }) => type === 'score');
  }
  return 'aggregations' in aggregation && Object.values(aggregation.aggregations).some(needsScores);
}
