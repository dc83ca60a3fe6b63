// Runs a scorer over one segment and keeps what is wanted of its live matches: the best rows, or only how many
// there are. Inner loops are plain functions over a number of candidates; between two of them the
// collector yields.
import { isLive } from '../index/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView } from '../index/segment.ts';
import { countBits } from './bit-set.ts';
import { BitSetScorer } from './bit-set-scorer.ts';
import { type Scorer, STEPS_PER_YIELD } from './scorer.ts';
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

/** What a search by score has learnt on its way through segments and indexes. */
export interface Pruning {
  /** As many of the best are wanted. */
  readonly size: number;
  /** Rows that score less are not among them; negative while fewer have been found. */
  leastScore: number;
}

/**
 * Offers the live matches to `top` by score, best first, but for those that are surely not among the best: how many
 * match is not known afterwards.
 */
export function* bestByScore(
  scorer: Scorer,
  view: SegmentView,
  top: TopRows,
  pruning: Pruning,
): Generator<void, void> {
  const places = new Float64Array(1);
  if (pruning.leastScore > 0) scorer.setMinScore?.(justBelow(pruning.leastScore));
  while (scorer.docId() !== NO_MORE_DOCS && scorer.maxScore >= pruning.leastScore) {
    scoreWindow(scorer, view, top, places);
    if (top.isFull) {
      // A later row that ties with the worst one stands behind it; in another segment its id decides.
      const worst = 0 - top.worstPlace;
      if (top.count === pruning.size) pruning.leastScore = Math.max(pruning.leastScore, worst);
      if (scorer.maxScore <= worst) return;
      scorer.setMinScore?.(worst);
    }
    yield;
  }
}

/** Less than a score, and no less than the next smaller 32-bit float. */
function justBelow(score: number): number {
  return score * (1 - 2 ** -24);
}

function scoreWindow(scorer: Scorer, view: SegmentView, top: TopRows, places: Float64Array): void {
  let floor = top.isFull ? 0 - top.worstPlace : Number.NEGATIVE_INFINITY;
  for (let step = 0; step < STEPS_PER_SCORE_WINDOW; step++) {
    const row = scorer.nextDoc();
    if (row === NO_MORE_DOCS) break;
    if (!isLive(view, row) || !scorer.matches()) continue;
    const score = scorer.score();
    if (score <= floor) continue;
    places[0] = -score;
    top.offer(row, places);
    if (top.isFull) floor = 0 - top.worstPlace;
  }
}

/** Fewer than usual: each window tells the scorer what has become too little. */
const STEPS_PER_SCORE_WINDOW = STEPS_PER_YIELD / 16;

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
