// The matches of a segment in sort order, by scanning its rows in that order. A binary search skips
// the rows before the page, and rows after the page are never visited.

import type { SortKey } from '../../query/query.ts';
import { oneStep } from '../../query/steps.ts';
import type { QueryCache } from '../index/query-cache.ts';
import { NO_MORE_DOCS, type SegmentView } from '../index/segment.ts';
import { BitSetScorer } from '../matching/bit-set-scorer.ts';
import { AllScorer, type Scorer, STEPS_PER_YIELD } from '../matching/scorer.ts';
import { countBits, hasBit } from '../rows/bit-set.ts';
import { gatherRows } from '../rows/known-rows.ts';
import { isAfter } from './collector.ts';
import { isLargePart, rowOrder } from './row-order.ts';
import {
  type HitSource,
  LazyPlaces,
  PENDING,
  type SegmentHits,
  SegmentHitsBase,
} from './segment-hits.ts';
import type { SortColumn } from './sort-column.ts';

class OrderedHits extends SegmentHitsBase {
  readonly #rows: Int32Array;
  readonly #matching: Uint32Array | null;
  readonly #segmentView: SegmentView;
  readonly #lazy: LazyPlaces;
  #at: number;

  /**
   * @param rows all rows of the segment in sort order
   * @param matching null if all of them match
   * @param after only rows strictly after these places; null for all
   */
  constructor(
    place: HitSource,
    rows: Int32Array,
    segmentView: SegmentView,
    matching: Uint32Array | null,
    after: Float64Array | null,
  ) {
    super(place);
    this.#rows = rows;
    this.#matching = matching;
    this.#segmentView = segmentView;
    this.#lazy = new LazyPlaces(this.columns, this.places);
    this.#at = after === null ? 0 : this.#firstAfter(after);
  }

  next(): number {
    const rows = this.#rows;
    const matching = this.#matching;
    const { liveDocs } = this.#segmentView;
    const stop = Math.min(this.#at + STEPS_PER_YIELD, rows.length);
    for (let at = this.#at; at < stop; at++) {
      const row = rows[at]!;
      if (matching !== null && !hasBit(matching, row)) continue;
      if (liveDocs !== null && !hasBit(liveDocs, row)) continue;
      this.#at = at + 1;
      this.row = row;
      this.#lazy.moveTo(row);
      return row;
    }
    this.#at = stop;
    if (stop < rows.length) return PENDING;
    this.row = NO_MORE_DOCS;
    return NO_MORE_DOCS;
  }

  count(): Generator<void, number> {
    const { liveDocs, liveCount } = this.#segmentView;
    const matching = this.#matching;
    return oneStep(() => (matching === null ? liveCount : countBits(matching, liveDocs)));
  }

  override placeAt(key: number): number {
    return this.#lazy.at(key);
  }

  #firstAfter(after: Float64Array): number {
    const { places } = this;
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      readPlaces(this.columns, this.#rows[middle]!, places);
      if (isAfter(places, after)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Reads the places of a row; no column is by score. */
export function readPlaces(
  columns: readonly SortColumn[],
  row: number,
  places: Float64Array,
): void {
  for (let key = 0; key < places.length; key++) places[key] = columns[key]!.place(row, 0);
}

/**
 * The part of a sorted search that one segment needs: sort keys, search-after values, page size.
 */
export interface OrderedPage {
  readonly keys: readonly SortKey[];
  /** Only rows strictly after these places; null for all. */
  readonly after: Float64Array | null;
  /** Most hits that are read. */
  readonly size: number;
  readonly cache: QueryCache;
}

/** The hits in sort order, or what to collect them from because that costs less. */
export type OrderedOrScorer =
  | { readonly hits: SegmentHits }
  | { readonly hits: null; readonly scorer: Scorer };

/** The matches of a new scorer in sort order, or a new scorer of the same matches. */
export function* orderedHits(
  place: HitSource,
  { keys, after, size, cache }: OrderedPage,
  view: SegmentView,
  scorer: Scorer,
): Generator<void, OrderedOrScorer> {
  const { docCount } = view.segment;
  const known = rowsOf(scorer);
  // A cursor only tells how many rows it matches at most.
  const isPaying =
    known === undefined
      ? isLargePart(size, docCount) || scanPays(size, docCount, scorer.cost, STEPS_PER_CURSOR_MATCH)
      : scanPays(size, docCount, countOf(known, docCount));
  if (!isPaying) return { hits: null, scorer };
  const { segment } = view;
  const table = { segment, table: segment.root };
  const rows = yield* rowOrder(table, keys, place.columns, size, cache);
  if (rows === null) return { hits: null, scorer };
  if (known !== undefined) return { hits: new OrderedHits(place, rows, view, known, after) };
  const matching = yield* gatherRows(scorer, docCount);
  const count = countBits(matching, null);
  if (scanPays(size, docCount, count)) {
    return { hits: new OrderedHits(place, rows, view, matching, after) };
  }
  return { hits: null, scorer: new BitSetScorer(matching, 0, count) };
}

/**
 * Break-even points: scanning this many rows costs as much as collecting one match of a set, or as
 * collecting one match of a cursor instead of gathering it.
 */
const STEPS_PER_MATCH = 4;
const STEPS_PER_CURSOR_MATCH = 2;

/** Whether scanning rows in sort order costs less than collecting all matches. */
export function scanPays(
  size: number,
  docCount: number,
  count: number,
  stepsPerMatch = STEPS_PER_MATCH,
): boolean {
  // Matches are assumed to be spread evenly over the order.
  const steps = (Math.min(size, count) * docCount) / count;
  return count > 0 && steps <= count * stepsPerMatch;
}

function countOf(known: Uint32Array | null, docCount: number): number {
  return known === null ? docCount : countBits(known, null);
}

/** The set of matching rows, null for all rows; undefined if there is no such set. */
function rowsOf(scorer: Scorer): Uint32Array | null | undefined {
  if (scorer instanceof AllScorer) return null;
  return scorer instanceof BitSetScorer ? scorer.bits : undefined;
}
