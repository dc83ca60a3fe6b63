// The matching elements of one segment in sort order, by scanning all elements in that order or by
// collecting the best. The current row is that of the document.
import { isLive } from '../index/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView, type Table } from '../index/segment.ts';
import { STEPS_PER_YIELD } from '../matching/scorer.ts';
import { hasBit, nextSetBit } from '../rows/bit-set.ts';
import { countLiveElements } from './element-rows.ts';
import { readPlaces } from './ordered-hits.ts';
import { type HitSource, LazyPlaces, PENDING, SegmentHitsBase } from './segment-hits.ts';
import { TopRows } from './top-rows.ts';

/** The matching elements of a segment. */
export interface ElementRows {
  readonly place: HitSource;
  readonly view: SegmentView;
  readonly table: Table;
  /** Rows of the table, those of deleted documents included; null for all. */
  readonly matching: Uint32Array | null;
}

/** Only later elements are returned: those that tie are later from `row` on. */
export interface AfterElement {
  readonly places: Float64Array;
  readonly row: number;
}

abstract class ElementHits extends SegmentHitsBase {
  protected readonly rows: ElementRows;

  constructor(rows: ElementRows) {
    super(rows.place);
    this.rows = rows;
  }

  count(): Generator<void, number> {
    const { matching, table, view } = this.rows;
    return countLiveElements(matching, table, view);
  }

  /** Makes an element the current one. */
  protected moveTo(element: number): number {
    const { parent, firstRow } = this.rows.table;
    this.row = parent![element]!;
    this.element = element - firstRow![this.row]!;
    return this.row;
  }
}

/** A binary search skips the elements before the page, and those after it are never visited. */
export class OrderedElements extends ElementHits {
  readonly #order: Int32Array | null;
  readonly #lazy: LazyPlaces;
  #at: number;

  /**
   * @param order all rows of the table in sort order; null: as they are
   * @param after null for all elements
   */
  constructor(rows: ElementRows, order: Int32Array | null, after: AfterElement | null) {
    super(rows);
    this.#order = order;
    this.#lazy = new LazyPlaces(this.columns, this.places);
    this.#at = after === null ? 0 : this.#firstAfter(after);
  }

  next(): number {
    const { table, view, matching } = this.rows;
    const { parent, rowCount } = table;
    const order = this.#order;
    const stop = Math.min(this.#at + STEPS_PER_YIELD, rowCount);
    for (let at = this.#at; at < stop; at++) {
      const element = order === null ? at : order[at]!;
      if (matching !== null && !hasBit(matching, element)) continue;
      if (!isLive(view, parent![element]!)) continue;
      this.#at = at + 1;
      this.#lazy.moveTo(element);
      return this.moveTo(element);
    }
    this.#at = stop;
    if (stop < rowCount) return PENDING;
    this.row = NO_MORE_DOCS;
    return NO_MORE_DOCS;
  }

  override placeAt(key: number): number {
    return this.#lazy.at(key);
  }

  #firstAfter(after: AfterElement): number {
    const { places } = this;
    let low = 0;
    let high = this.rows.table.rowCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const element = this.#order === null ? middle : this.#order[middle]!;
      readPlaces(this.columns, element, places);
      if (isAfter(places, element, after)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Elements that were collected by `bestElements`. */
export class CollectedElements extends ElementHits {
  readonly #best: TopRows;
  #remaining: number;

  constructor(rows: ElementRows, best: TopRows) {
    super(rows);
    this.#best = best;
    this.#remaining = best.count;
    best.startTaking();
  }

  next(): number {
    if (this.#remaining === 0) {
      this.row = NO_MORE_DOCS;
      return NO_MORE_DOCS;
    }
    this.#remaining -= 1;
    const entry = this.#best.take();
    const { places } = this;
    for (let key = 0; key < places.length; key++) places[key] = this.#best.place(entry, key);
    return this.moveTo(this.#best.row(entry));
  }
}

/** Collects the first elements of a segment. */
export function* bestElements(
  rows: ElementRows,
  size: number,
  after: AfterElement | null,
): Generator<void, TopRows> {
  const best = new TopRows(size, rows.place.columns.length);
  let next = 0;
  while (next !== NO_MORE_DOCS) {
    next = offerSome(rows, next, after, best);
    yield;
  }
  return best;
}

/** Offers some elements from a row on; returns the row of the next one, or NO_MORE_DOCS. */
function offerSome(
  { place, table, view, matching }: ElementRows,
  first: number,
  after: AfterElement | null,
  best: TopRows,
): number {
  const { parent, rowCount } = table;
  const { columns } = place;
  const places = new Float64Array(columns.length);
  let element = matching === null ? first : nextSetBit(matching, first);
  for (let step = 0; step < STEPS_PER_YIELD && element < rowCount; step++) {
    if (isLive(view, parent![element]!)) {
      readPlaces(columns, element, places);
      if (after === null || isAfter(places, element, after)) best.offer(element, places);
    }
    element = matching === null ? element + 1 : nextSetBit(matching, element + 1);
  }
  return element < rowCount ? element : NO_MORE_DOCS;
}

function isAfter(places: Float64Array, element: number, after: AfterElement): boolean {
  for (let key = 0; key < places.length; key++) {
    if (places[key] !== after.places[key]) return places[key]! > after.places[key]!;
  }
  return element >= after.row;
}
