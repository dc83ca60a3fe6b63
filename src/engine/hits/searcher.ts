// Searches the segments of one index as of one moment (Lucene's IndexSearcher). Work is done in
// small steps: the caller runs the generators and may stop between two steps.
// Invariant: results do not depend on how documents are spread over segments, nor on the way they
// are collected.
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { IndexName, Query, SortKey, SortValue } from '../../query/query.ts';
import { done } from '../../query/steps.ts';
import { DerivedPart, type IndexSegments, type QueryCache } from '../index/query-cache.ts';
import { createWeight } from '../matching/create-weight.ts';
import { WindowPool } from '../scoring/score-window.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { Weight } from '../scoring/weight.ts';
import type { SegmentView } from '../sections/segment.ts';
import { bestMatches, countMatches } from './collector.ts';
import { orderedHits } from './ordered-hits.ts';
import { RankedHits } from './ranked-hits.ts';
import { RowHits } from './row-hits.ts';
import { type Pruning, ScoreCollector } from './score-collector.ts';
import { ScoredHits } from './scored-hits.ts';
import type { HitSource, SegmentHits } from './segment-hits.ts';
import { placesOf, sortColumn } from './sort-column.ts';
import { TopRows } from './top-rows.ts';

export interface SearchRequest {
  /** Index of this target in the request. */
  readonly target: number;
  readonly index: IndexName;
  /** Empty: by id. */
  readonly sort: readonly SortKey[];
  /** Same length as `sort`. */
  readonly searchAfter?: readonly SortValue[] | undefined;
  /** from + size of the page: most hits that are read. */
  readonly size: number;
  /** Whether `count` of the hits will be called. */
  readonly trackTotal: boolean;
  /** For a search by score alone; shared by all targets of one request. */
  readonly pruning: Pruning;
}

const WINDOWS = new DerivedPart(() => new WindowPool());

export class Searcher {
  readonly #mapping: Mapping;
  readonly #views: readonly SegmentView[];
  readonly #cache: QueryCache;

  constructor(mapping: Mapping, { views, cache }: IndexSegments) {
    this.#mapping = mapping;
    this.#views = views;
    this.#cache = cache;
  }

  /** The hits of each segment. Throws what createWeight throws. */
  *search(query: Query, request: SearchRequest): Generator<void, SegmentHits[]> {
    const { sort, target, index } = request;
    const weight = yield* this.#weight(query, byScore(sort));
    if (byScore(sort) && sort.length === 1 && request.searchAfter === undefined) {
      return yield* this.#bestByScore(weight, request);
    }
    const parts: SegmentHits[] = [];
    for (const [view, { segment }] of this.#views.entries()) {
      const scorer = yield* weight.scorer(view);
      if (scorer === null) continue;
      const columns = sort.map((key) => sortColumn(key, this.#mapping, this.#views[view]!));
      const place = { target, index, view, segment, columns };
      const part = yield* this.#hitsOf(request, place, scorer, this.#knownCount(weight, view));
      if (part !== null) parts.push(part);
    }
    return parts;
  }

  /** By score alone: collects segments by descending maximum score, so that more is skipped. */
  *#bestByScore(weight: Weight, request: SearchRequest): Generator<void, SegmentHits[]> {
    const { target, index, sort, trackTotal, pruning } = request;
    const columns = [sortColumn(sort[0]!, this.#mapping, this.#views[0]!)];
    const scorers: { readonly view: number; readonly scorer: Scorer }[] = [];
    for (const view of this.#views.keys()) {
      const scorer = yield* weight.scorer(view);
      if (scorer !== null) scorers.push({ view, scorer });
    }
    const rowsOf = (view: number): number => this.#views[view]!.segment.docCount;
    scorers.sort(
      (a, b) => b.scorer.maxScore - a.scorer.maxScore || rowsOf(b.view) - rowsOf(a.view),
    );
    const parts: SegmentHits[] = [];
    const losingTieScore = pruning.minCompetitiveScore;
    for (const { view, scorer } of scorers) {
      const segmentView = this.#views[view]!;
      const { segment } = segmentView;
      const place = { target, index, view, segment, columns };
      const knownCount = this.#knownCount(weight, view);
      if (scorer.isConstant) {
        // path: equal scores
        parts.push(new RowHits(place, scorer, segmentView, knownCount));
        continue;
      }
      const collector = new ScoreCollector(
        scorer,
        segmentView,
        pruning,
        losingTieScore,
        this.#cache.single(WINDOWS),
      );
      let count = knownCount;
      if (knownCount >= 0 || !trackTotal) {
        // path: by score, not counted
        yield* collector.collect();
      } else {
        // path: by score, counted
        count = yield* collector.collectAll();
      }
      parts.push(new ScoredHits(place, collector, pruning, count));
    }
    return parts;
  }

  /** Number of live documents that match. Throws what createWeight throws. */
  *count(query: Query): Generator<void, number> {
    const weight = yield* this.#weight(query, false);
    let total = 0;
    for (const [index, view] of this.#views.entries()) {
      const knownCount = this.#knownCount(weight, index);
      if (knownCount >= 0) {
        // path: count known
        total += knownCount;
        continue;
      }
      const scorer = yield* weight.scorer(index);
      if (scorer !== null) total += yield* countMatches(scorer, view);
    }
    return total;
  }

  #weight(query: Query, scoring: boolean): Generator<void, Weight> {
    const [views, cache] = [this.#views, this.#cache];
    return createWeight(query, { views, cache, path: null, scoring, boost: 1 });
  }

  /** Number of live matches of a view if the weight knows it without a search; else -1. */
  #knownCount(weight: Weight, index: number): number {
    const view = this.#views[index]!;
    const matchCount = weight.count(index);
    if (matchCount === view.segment.docCount) return view.liveCount;
    return matchCount === 0 || view.liveDocs === null ? matchCount : -1;
  }

  /** The hits of a segment, by the way that visits the fewest rows. */
  *#hitsOf(
    request: SearchRequest,
    place: HitSource,
    scorer: Scorer,
    knownCount: number,
  ): Generator<void, SegmentHits | null> {
    const { sort, searchAfter, size } = request;
    const view = this.#views[place.view]!;
    const { columns } = place;
    if (sort.length === 0) return new RowHits(place, scorer, view, knownCount);
    const scoring = byScore(sort);
    const { docCount, root } = view.segment;
    // No row that ties is later.
    const after =
      searchAfter === undefined ? null : { places: placesOf(columns, searchAfter), row: docCount };
    let source = scorer;
    if (!scoring) {
      const page = { keys: sort, after, size, cache: this.#cache };
      const ordered = yield* orderedHits(place, page, view, scorer);
      if (ordered.hits !== null) /* path: in row order */ return ordered.hits;
      source = ordered.scorer;
    }
    const best = new TopRows(Math.min(size, docCount), sort.length);
    const count = yield* bestMatches(source, view, { columns, after, scoring }, best);
    // path: by sort keys
    return new RankedHits(place, root, best, () => done(count));
  }
}

function byScore(sort: readonly SortKey[]): boolean {
  return sort.some(({ type }) => type === 'score');
}
