// Runs a scorer over one segment and keeps what is wanted of its live matches: the best rows, or only how many
// there are. Inner loops are plain functions over a number of candidates; between two of them the
// collector yields.
import { isLive } from '../index/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../index/segment.ts';
import { BitSetScorer } from '../matching/bit-set-scorer.ts';
import { type Scorer, STEPS_PER_YIELD } from '../matching/scorer.ts';
import { countBits } from '../rows/bit-set.ts';
import type { SortColumn } from './sort-column.ts';
import type { TopRows } from './top-rows.ts';

/** How many live rows match behind where the scorer stands, which is before all of them if it is fresh. */
export function* countMatches(scorer: Scorer, view: SegmentView): Generator<void, number> {
  const isFresh = scorer.docId() === -1;
  if (isFresh && scorer instanceof BitSetScorer) return countBits(scorer.bits, view.liveDocs);
  let count = 0;
  while (scorer.docId() !== NO_MORE_DOCS) {
    count += countWindow(scorer, view);
    yield;
  }
  return count;
}

/** What the best rows are chosen by. */
export interface Order {
  readonly columns: readonly SortColumn[];
  /** Only rows strictly behind these places; null for all. */
  readonly after: Float64Array | null;
  readonly scoring: boolean;
}

/** Offers every live match to `top`; answers how many there are. */
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
    for (let key = 0; key < columns.length; key++) places[key] = columns[key]!.place(row, score);
    if (after === null || isBehind(places, after)) top.offer(row, places);
  }
  return count;
}

/** Whether places are strictly behind others. */
export function isBehind(places: Float64Array, after: Float64Array): boolean {
  for (let key = 0; key < places.length; key++) {
    if (places[key] !== after[key]) return places[key]! > after[key]!;
  }
  return false;
}
