// The matches of a segment in sort order, by scanning its rows in that order. A binary search skips
// the rows before the page, and rows after the page are never visited.

import type { SortKey } from '../../query/query.ts';
import type { QueryCache } from '../index/query-cache.ts';
import { gatherRows } from '../matching/known-rows.ts';
import { countBits } from '../rows/bit-set.ts';
import { BitSetScorer } from '../scoring/bit-set-scorer.ts';
import { AllScorer, type Scorer } from '../scoring/scorer.ts';
import { NO_MORE_DOCS, type SegmentView } from '../sections/segment.ts';
import { countLiveRows } from './element-rows.ts';
import { isLargePart, rowOrder } from './row-order.ts';
import { RowsInOrder, type TableRows } from './rows-in-order.ts';
import {
  type HitSource,
  LazyPlaces,
  PENDING,
  type SegmentHits,
  SegmentHitsBase,
} from './segment-hits.ts';
import { type AfterRow, isAfter, readPlaces } from './sort-column.ts';

/** Documents, or elements of documents, in sort order. */
export class OrderedHits extends SegmentHitsBase {
  readonly rows: RowsInOrder;
  readonly #table: TableRows;
  readonly #lazy: LazyPlaces;

  /**
   * @param order all rows of the table in sort order; null: as they are
   * @param after null for all rows
   */
  constructor(
    place: HitSource,
    table: TableRows,
    order: Int32Array | null,
    after: AfterRow | null,
  ) {
    super(place);
    this.#table = table;
    this.rows = new RowsInOrder(table, order);
    this.#lazy = new LazyPlaces(this.columns, this.places);
    if (after !== null) this.rows.pass(this.#countUpTo(after));
  }

  next(): number {
    const row = this.rows.next();
    if (row === PENDING) return row;
    if (row === NO_MORE_DOCS) this.row = row;
    else this.#show(row);
    return this.row;
  }

  /** Makes a later hit the current one, without moving. @param ahead 0 for the next */
  lookAt(ahead: number): void {
    this.#show(this.rows.look(ahead));
  }

  count(): Generator<void, number> {
    const { matching, table, view } = this.#table;
    return countLiveRows(matching, table, view);
  }

  override placeAt(key: number): number {
    return this.#lazy.at(key);
  }

  #show(row: number): void {
    this.#lazy.moveTo(row);
    this.moveTo(row, this.#table.table);
  }

  #countUpTo(after: AfterRow): number {
    const { places } = this;
    let low = 0;
    let high = this.rows.left;
    while (low < high) {
      // path: entered in the middle
      const middle = (low + high) >>> 1;
      const row = this.rows.look(middle);
      readPlaces(this.columns, row, 0, places);
      if (isAfter(places, row, after)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/**
 * The part of a sorted search that one segment needs: sort keys, search-after values, page size.
 */
export interface OrderedPage {
  readonly keys: readonly SortKey[];
  /** null for all rows. */
  readonly after: AfterRow | null;
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
  const table = segment.root;
  const order = yield* rowOrder({ segment, table }, keys, place.columns, size, cache);
  if (order === null) return { hits: null, scorer };
  const hitsOf = (matching: Uint32Array | null) =>
    new OrderedHits(place, { table, view, matching }, order, after);
  if (known !== undefined) return { hits: hitsOf(known) };
  // path: cursor gathered
  const matching = yield* gatherRows(scorer, docCount);
  const count = countBits(matching, null);
  if (scanPays(size, docCount, count)) return { hits: hitsOf(matching) };
  // path: few rows gathered
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
