// The first matching elements of one segment in sort order, collected; `OrderedHits` scans them in that order
// instead. The current row is that of the document.

import { nextSetBit } from '../rows/bit-set.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { isLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';
import { countLiveRows } from './element-rows.ts';
import { type AfterRow, isAfterRow, readPlaces } from './ordered-hits.ts';
import type { TableRows } from './rows-in-order.ts';
import { type HitSource, SegmentHitsBase } from './segment-hits.ts';
import { TopRows } from './top-rows.ts';

/** The matching elements of a segment. */
export interface ElementRows extends TableRows {
  readonly place: HitSource;
}

/** Elements that were collected by `bestElements`. */
export class CollectedElements extends SegmentHitsBase {
  readonly #rows: ElementRows;
  readonly #best: TopRows;
  #remaining: number;

  constructor(rows: ElementRows, best: TopRows) {
    super(rows.place);
    this.#rows = rows;
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
    const element = this.#best.row(entry);
    const { parent, firstRow } = this.#rows.table;
    this.row = parent![element]!;
    this.element = element - firstRow![this.row]!;
    return this.row;
  }

  count(): Generator<void, number> {
    const { matching, table, view } = this.#rows;
    return countLiveRows(matching, table, view);
  }
}

/** Collects the first elements of a segment. */
export function* bestElements(
  rows: ElementRows,
  size: number,
  after: AfterRow | null,
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
  after: AfterRow | null,
  best: TopRows,
): number {
  const { parent, rowCount } = table;
  const { columns } = place;
  const places = new Float64Array(columns.length);
  let element = matching === null ? first : nextSetBit(matching, first);
  for (let step = 0; step < STEPS_PER_YIELD && element < rowCount; step++) {
    if (isLive(view, parent![element]!)) {
      readPlaces(columns, element, places);
      if (after === null || isAfterRow(places, element, after)) best.offer(element, places);
    }
    element = matching === null ? element + 1 : nextSetBit(matching, element + 1);
  }
  return element < rowCount ? element : NO_MORE_DOCS;
}
