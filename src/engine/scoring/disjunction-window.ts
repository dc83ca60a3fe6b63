// The clauses of a disjunction over a window of rows. Of a sum only so many clauses have to be looked through as leave
// the others together too little to get a row among the best (MAXSCORE; Turtle and Flood 1995, Lucene's
// MaxScoreBulkScorer); the others are asked about the rows that those found.

import type { Scorer } from '../matching/scorer.ts';
import { advanceToMarks, fillWindow } from './fill-window.ts';
import { borrowLike, giveBack, type ScoreWindow } from './score-window.ts';

/** Going over a clause's rows of a window costs as much as bringing it to so many times fewer of them. */
const STEP_COST = 16;

/** The clauses of one disjunction, by what they score at most. */
export class Parts {
  /** Least first. */
  readonly scorers: readonly Scorer[];
  /** What the first so many score together at most. */
  readonly #together: Float64Array;
  /** How many, from the first, cannot get a row among the best without one of the others. */
  optional = 0;

  constructor(scorers: readonly Scorer[]) {
    this.scorers = [...scorers].sort((a, b) => a.maxScore - b.maxScore);
    this.#together = new Float64Array(scorers.length + 1);
    for (const [at, { maxScore }] of this.scorers.entries()) {
      this.#together[at + 1] = this.#together[at]! + maxScore;
    }
  }

  /** What the first `count` score together at most. */
  together(count: number): number {
    return this.#together[count]!;
  }

  /** Tells each clause what its rows must have for the sum to be more than `score`. */
  setMinScore(score: number): void {
    const { scorers } = this;
    while (this.optional < scorers.length) {
      if (Math.fround(this.#together[this.optional + 1]!) > score) break;
      this.optional += 1;
    }
    const all = this.#together[scorers.length]!;
    for (const scorer of scorers) {
      const missing = score - (all - scorer.maxScore);
      if (missing > 0) scorer.setMinScore?.(missing);
    }
  }
}

/** Puts the sums that may be over `minScore` into an empty window. */
export function fillSum(parts: Parts, window: ScoreWindow, minScore: number): void {
  const { scorers, optional } = parts;
  for (let at = optional; at < scorers.length; at++) fillWindow(scorers[at]!, window);
  for (let at = optional - 1; at >= 0; at--) {
    // What one clause alone gave has passed its own least score.
    const isOnly = optional === scorers.length - 1 && at === optional - 1;
    const rows = isOnly ? window.countMarked() : window.keepAbove(minScore, parts.together(at + 1));
    if (rows === 0) return;
    joinAtMarks(scorers[at]!, window, { rows, counts: 'score', keep: 'all' });
  }
}

/** What becomes of a clause at the rows that others found. */
interface JoinOptions {
  /** How many rows those are. */
  readonly rows: number;
  readonly counts: 'score' | 'nothing';
  readonly keep: 'matches' | 'all';
}

/**
 * Joins a clause to the marked rows in the cheaper way: it is brought to each, or goes over all its own rows, which adds
 * straight to the marked ones or gathers all of them apart first.
 */
export function joinAtMarks(
  scorer: Scorer,
  window: ScoreWindow,
  { rows, counts, keep }: JoinOptions,
): void {
  const costHere = (scorer.cost * (window.to - window.from)) / window.rowCount;
  if (scorer.fill === undefined || rows * STEP_COST < costHere) {
    advanceToMarks(window, scorer, counts, keep);
    return;
  }
  if (scorer.addToMarked !== undefined && counts === 'score' && keep === 'all') {
    scorer.addToMarked(window);
    return;
  }
  const own = borrowLike(window, 'only');
  fillWindow(scorer, own);
  if (counts === 'nothing') own.forgetScores();
  window.addMarkedOf(own, keep);
  giveBack(own);
}

/** Puts the best scores into a window, but for those that are surely not over `minScore`. */
export function fillBest({ scorers }: Parts, window: ScoreWindow, minScore: number): void {
  for (const scorer of scorers) if (scorer.maxScore > minScore) fillWindow(scorer, window);
}
