// The cursor over the rows of one segment that may match a query, in two phases as Lucene's TwoPhaseIterator: the
// iterator walks candidates, `matches` decides about one. So every call does a bounded piece of work, however few
// rows match, and whoever drives the cursor can stop between two candidates.
//
// The iterator contract, checked in every test by test/support/iterator-contract.ts:
// - A new cursor is at -1. `nextDoc` and `advance` go to a later candidate or to NO_MORE_DOCS, and are not called there.
//   Every row that matches is a candidate; a candidate need not match.
// - `matches` is called at a candidate, at most once: it may read positions, which are read only once.
// - `score` is called after `matches` has returned true, as often as needed until the cursor moves. It is at most
//   `maxScore`, and exactly that where `isConstant` is true.
// - `cost` is at least the number of matching rows.
// - A cursor may be moved by windows instead: `fill` or `addToMarked` handles all rows of a window that the cursor has
//   not passed. The windows of one cursor ascend and do not overlap, and begin behind the last row at which `matches`
//   was called. Afterwards no row of the window may be asked for again: `docId` is a row of the window, which has no
//   meaning, or the first candidate behind it.
// - A fill marks rows inside the window [from, to) only, and unmarks none. A row without a mark has a score of 0.
// - A borrowed window is given back without marks and scores.
// - The score given to `setMinScore` never decreases. It does not change which rows are candidates, only which match.
import type { ScoreDetail } from '../../query/explain/plan-clause.ts';
import { type DocIterator, NO_MORE_DOCS, type TwoPhaseIterator } from '../index/segment.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';

/** Candidates in ascending order; see the contract above. */
export interface Scorer extends TwoPhaseIterator {
  /** An upper bound of every score; infinite where none is known. */
  readonly maxScore: number;
  /** True when every match scores exactly `maxScore`. */
  readonly isConstant?: boolean;
  /** Lets the cursor leave out matches that score `score` or less, from the current row on. */
  setMinScore?(score: number): void;
  /** A score that at least `count` of the rows of a new cursor have or exceed; negative where none is known. */
  reachedBy?(count: number): number;
  /** Puts the matches among the rows of a window into it, where that costs less than row by row. */
  fill?(window: ScoreWindow): void;
  /** As `fill`, but adds its scores to the rows that are marked already, and marks no others. */
  addToMarked?(window: ScoreWindow): void;
  /** The score of the current row, which matches. */
  score(): number;
  /** How that score is computed; null where no score is computed. */
  explain?(): ScoreDetail | null;
}

/** Brings a cursor that is behind to `row`, or past it; whether it stands there. */
export function standsOn(scorer: DocIterator, row: number): boolean {
  const at = scorer.docId();
  return (at < row ? scorer.advance(row) : at) === row;
}

/** How many candidates or entries a loop looks at before it yields. */
export const STEPS_PER_YIELD = 4096;

/** Every row of a table. */
export class AllScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant = true;
  #row = -1;

  constructor(rowCount: number, constant: number) {
    this.cost = rowCount;
    this.maxScore = constant;
  }

  docId(): number {
    return this.#row;
  }

  nextDoc(): number {
    return this.advance(this.#row + 1);
  }

  advance(target: number): number {
    this.#row = target < this.cost ? target : NO_MORE_DOCS;
    return this.#row;
  }

  matches(): boolean {
    return true;
  }

  score(): number {
    return this.maxScore;
  }
}

/** The matches of another scorer, all with the same score. */
export class ConstantScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant = true;
  readonly #inner: Scorer;

  constructor(inner: Scorer, constant: number) {
    this.#inner = inner;
    this.maxScore = constant;
    this.cost = inner.cost;
  }

  docId(): number {
    return this.#inner.docId();
  }

  nextDoc(): number {
    return this.#inner.nextDoc();
  }

  advance(target: number): number {
    return this.#inner.advance(target);
  }

  matches(): boolean {
    return this.#inner.matches();
  }

  score(): number {
    return this.maxScore;
  }
}
