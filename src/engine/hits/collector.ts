// Collects or counts the live matches of one segment. Inner loops are plain functions over a number
// of candidates; the collector yields between them.

import { countKnown, gatherRows, isDense } from '../matching/known-rows.ts';
import { countBits } from '../rows/bit-set.ts';
import { type Scorer, STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { isLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../sections/segment.ts';
import { type AfterRow, isAfter, readPlaces, type SortColumn } from './sort-column.ts';
import type { TopRows } from './top-rows.ts';

/** Counts the live matches after the scorer's current row; all of them for a new scorer. */
export function* countMatches(scorer: Scorer, view: SegmentView): Generator<void, number> {
  const known = yield* countKnown(scorer, view);
  if (known >= 0) /* path: count known */ return known;
  const { segment, liveDocs } = view;
  if (scorer.docId() === -1 && isDense(scorer, segment.docCount)) {
    // path: gathered
    return countBits(yield* gatherRows(scorer, segment.docCount), liveDocs);
  }
  let count = 0;
  while (scorer.docId() !== NO_MORE_DOCS) {
    // path: row by row
    count += countWindow(scorer, view);
    yield;
  }
  return count;
}

/** How the best rows are chosen. */
export interface Order {
  readonly columns: readonly SortColumn[];
  /** null for all rows. */
  readonly after: AfterRow | null;
  readonly scoring: boolean;
}

/** Offers each live match to `top` and returns their number. */
export function* bestMatches(
  scorer: Scorer,
  view: SegmentView,
  order: Order,
  top: TopRows,
): Generator<void, number> {
  const places = new Float64Array(order.columns.length);
  let count = 0;
  while (scorer.docId() !== NO_MORE_DOCS) {
    count += bestWindow(scorer, view, order, top, places);
    yield;
  }
  return count;
}

function countWindow(scorer: Scorer, view: SegmentView): number {
  let count = 0;
  for (let step = 0; step < STEPS_PER_YIELD; step++) {
    const row = scorer.nextDoc();
    if (row === NO_MORE_DOCS) break;
    if (isLive(view, row) && scorer.matches()) count += 1;
  }
  return count;
}

function bestWindow(
  scorer: Scorer,
  view: SegmentView,
  { columns, after, scoring }: Order,
  top: TopRows,
  places: Float64Array,
): number {
  let count = 0;
  for (let step = 0; step < STEPS_PER_YIELD; step++) {
    const row = scorer.nextDoc();
    if (row === NO_MORE_DOCS) break;
    if (!isLive(view, row) || !scorer.matches()) continue;
    count += 1;
    const score = scoring ? scorer.score() : 0;
    readPlaces(columns, row, score, places);
    if (after === null || /* path: searchAfter */ isAfter(places, row, after)) {
      top.offer(row, places);
    }
  }
  return count;
}
