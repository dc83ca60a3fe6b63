// Matches in the order of the sort keys, by walking the rows of a segment in that order: what comes before the page is
// passed by a binary search, and nothing behind it is looked at.
import type { SortKey } from '../../query/query.ts';
import { NO_MORE_DOCS, type SegmentView } from '../index/segment.ts';
import { BitSetScorer } from '../matching/bit-set-scorer.ts';
import { AllScorer, type Scorer, STEPS_PER_YIELD } from '../matching/scorer.ts';
import { countBits, hasBit } from '../rows/bit-set.ts';
import { isBehind } from './collector.ts';
import { rowOrder } from './row-order.ts';
import { type HitPlace, PlacedHits, type SegmentHits, STILL_LOOKING } from './segment-hits.ts';
import type { SortColumn } from './sort-column.ts';

export class OrderedHits extends PlacedHits {
  readonly #rows: Int32Array;
  readonly #matching: Uint32Array | null;
  readonly #segmentView: SegmentView;
  #at: number;

  /**
   * @param rows all rows of the segment in the order asked
   * @param matching null where all of them match
   * @param after only rows strictly behind these places; null for all
   */
  constructor(
    place: HitPlace,
    rows: Int32Array,
    segmentView: SegmentView,
    matching: Uint32Array | null,
    after: Float64Array | null,
  ) {
    super(place);
    this.#rows = rows;
    this.#matching = matching;
    this.#segmentView = segmentView;
    this.#at = after === null ? 0 : this.#firstBehind(after);
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
    if (stop < rows.length) return STILL_LOOKING;
    this.row = NO_MORE_DOCS;
    return NO_MORE_DOCS;
  }

  // biome-ignore lint/correctness/useYield: bits are counted fast
  *count(): Generator<void, number> {
    const { liveDocs, liveCount } = this.#segmentView;
    return this.#matching === null ? liveCount : countBits(this.#matching, liveDocs);
  }

  #firstBehind(after: Float64Array): number {
    const { places } = this;
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      readPlaces(this.columns, this.#rows[middle]!, places);
      if (isBehind(places, after)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function readPlaces(columns: readonly SortColumn[], row: number, places: Float64Array): void {
  for (let key = 0; key < places.length; key++) places[key] = columns[key]!.place(row, 0);
}

/** What is wanted of a segment. */
export interface OrderedPage {
  readonly keys: readonly SortKey[];
  /** Only rows strictly behind these places; null for all. */
  readonly after: Float64Array | null;
  /** As many of the first ones at most. */
  readonly size: number;
}

/** The matches of a fresh scorer in the order of the keys; null where looking at each match is the better way. */
export function* orderedHits(
  place: HitPlace,
  { keys, after, size }: OrderedPage,
  view: SegmentView,
  scorer: Scorer,
): Generator<void, SegmentHits | null> {
  const matching = rowsOf(scorer);
  if (matching === undefined) return null;
  const { docCount } = view.segment;
  const count = matching === null ? docCount : countBits(matching, null);
  const steps = (Math.min(size, count) * docCount) / count;
  if (count === 0 || steps > count * STEPS_PER_MATCH) return null;
  const rows = yield* rowOrder(view.segment, keys, place.columns, size);
  return rows === null ? null : new OrderedHits(place, rows, view, matching, after);
}

/** So many rows are passed in the time it takes to find a match and its places and to weigh it. */
const STEPS_PER_MATCH = 4;

/** The set of rows that match, null for all rows there are; undefined where no such set is at hand. */
function rowsOf(scorer: Scorer): Uint32Array | null | undefined {
  if (scorer instanceof AllScorer) return null;
  return scorer instanceof BitSetScorer ? scorer.bits : undefined;
}
