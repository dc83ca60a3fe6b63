// Collects the first matching elements of one segment in sort order; `OrderedHits` scans them in that order
// instead.

import { nextSetBit } from '../rows/bit-set.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { isLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';
import type { TableRows } from './rows-in-order.ts';
import type { HitSource } from './segment-hits.ts';
import { type AfterRow, isAfter, readPlaces } from './sort-column.ts';
import { TopRows } from './top-rows.ts';

/** The matching elements of a segment. */
export interface ElementRows extends TableRows {
  readonly place: HitSource;
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
      readPlaces(columns, element, 0, places);
      if (after === null || isAfter(places, element, after)) best.offer(element, places);
    }
    element = matching === null ? element + 1 : nextSetBit(matching, element + 1);
  }
  return element < rowCount ? element : NO_MORE_DOCS;
}
