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
import { type HitSource, PENDING, type SegmentHits, SegmentHitsBase } from './segment-hits.ts';
import type { SortColumn } from './sort-column.ts';

export class OrderedHits extends SegmentHitsBase {
  readonly #rows: Int32Array;
  readonly #matching: Uint32Array | null;
  readonly #segmentView: SegmentView;
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
      readPlaces(this.columns, row, this.places);
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

function readPlaces(columns: readonly SortColumn[], row: number, places: Float64Array): void {
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

/** The matches of a new scorer in sort order; null if collecting all matches costs less. */
export function* orderedHits(
  place: HitSource,
  { keys, after, size, cache }: OrderedPage,
  view: SegmentView,
  scorer: Scorer,
): Generator<void, SegmentHits | null> {
  const { docCount } = view.segment;
  const known = rowsOf(scorer);
  // A cursor does not tell how many rows it matches, but a deep page pays in any case.
  if (known === undefined && !isLargePart(size, docCount)) return null;
  if (known !== undefined) {
    const count = known === null ? docCount : countBits(known, null);
    const steps = (Math.min(size, count) * docCount) / count;
    if (count === 0 || steps > count * STEPS_PER_MATCH) return null;
  }
  const rows = yield* rowOrder(view.segment, keys, place.columns, size, cache);
  if (rows === null) return null;
  const matching = known === undefined ? yield* gatherRows(scorer, docCount) : known;
  return new OrderedHits(place, rows, view, matching, after);
}

/** Break-even point: scanning this many rows costs as much as collecting one match. */
const STEPS_PER_MATCH = 4;

/** The set of matching rows, null for all rows; undefined if there is no such set. */
function rowsOf(scorer: Scorer): Uint32Array | null | undefined {
  if (scorer instanceof AllScorer) return null;
  return scorer instanceof BitSetScorer ? scorer.bits : undefined;
}
