// Fills a window from the clauses of a disjunction. For a sum, MAXSCORE (Turtle and Flood 1995,
// Lucene's MaxScoreBulkScorer): clauses whose scores together cannot reach the minimum are
// optional, and are only evaluated on the rows that the other clauses match.

import { advanceToMarks, fillWindow } from './fill-window.ts';
import type { ScoreWindow } from './score-window.ts';
import type { Scorer } from './scorer.ts';

/** Break-even point: advancing to one row costs as much as scanning this many rows of a clause. */
const STEP_COST = 16;

/** The clauses of one disjunction by maximum score. */
export class ClausesByMaxScore {
  /** Ascending by `maxScore`. */
  readonly scorers: readonly Scorer[];
  /** By n, the sum of the first n maximum scores. */
  readonly #maxScoreSums: number[] = [0];
  /** Number of clauses, from the first, that cannot reach the minimum score without the others. */
  optional = 0;

  constructor(scorers: readonly Scorer[]) {
    this.scorers = [...scorers].sort((a, b) => a.maxScore - b.maxScore);
    for (const [at, { maxScore }] of this.scorers.entries()) {
      this.#maxScoreSums[at + 1] = this.#maxScoreSums[at]! + maxScore;
    }
  }

  /** The sum of the first `count` maximum scores. */
  maxScoreSum(count: number): number {
    return this.#maxScoreSums[count]!;
  }

  /** Sets the score each clause must exceed for the sum to exceed `score`. */
  setMinScore(score: number): void {
    const { scorers } = this;
    while (this.optional < scorers.length) {
      if (Math.fround(this.#maxScoreSums[this.optional + 1]!) > score) break;
      this.optional += 1;
    }
    const all = this.#maxScoreSums[scorers.length]!;
    for (const scorer of scorers) {
      const missing = score - (all - scorer.maxScore);
      if (missing > 0) scorer.setMinScore?.(missing);
    }
  }
}

/** Puts the sums that may exceed `minScore` into an empty window. */
export function fillSum(clauses: ClausesByMaxScore, window: ScoreWindow, minScore: number): void {
  const { scorers, optional } = clauses;
  for (let at = optional; at < scorers.length; at++) fillWindow(scorers[at]!, window);
  for (let at = optional - 1; at >= 0; at--) {
    // The scores of a single clause have already exceeded its own minimum.
    const isOnly = optional === scorers.length - 1 && at === optional - 1;
    const rows = isOnly
      ? window.countMarked()
      : window.keepAbove(minScore, clauses.maxScoreSum(at + 1));
    if (rows === 0) return;
    // path: clause that adds no rows
    joinAtMarks(scorers[at]!, window, { rows, counts: 'score', keep: 'all' });
  }
}

/** How a clause is joined to the rows that others have marked. */
interface JoinOptions {
  /** Number of marked rows. */
  readonly rows: number;
  readonly counts: 'score' | 'nothing';
  readonly keep: 'matches' | 'all';
}

/**
 * Joins a clause to the marked rows in the cheaper way: advances it to each of them, or fills a
 * window of its own first.
 */
export function joinAtMarks(
  scorer: Scorer,
  window: ScoreWindow,
  { rows, counts, keep }: JoinOptions,
): void {
  const costHere = (scorer.cost * (window.to - window.from)) / window.rowCount;
  if (scorer.fill === undefined || rows * STEP_COST < costHere) {
    // path: advanced to marked rows
    advanceToMarks(window, scorer, counts, keep);
    return;
  }
  const own = window.borrowLike('only');
  fillWindow(scorer, own);
  if (counts === 'nothing') own.clearScores();
  // path: gathered in a window
  window.addMarkedOf(own, keep);
  own.giveBack();
}

/** Puts the best scores into a window, without those that cannot exceed `minScore`. */
export function fillBest(
  { scorers }: ClausesByMaxScore,
  window: ScoreWindow,
  minScore: number,
): void {
  for (const scorer of scorers) if (scorer.maxScore > minScore) fillWindow(scorer, window);
}
