// Cursor over the rows of one segment that may match a query, in two phases like Lucene's
// TwoPhaseIterator: `nextDoc` and `advance` iterate candidates, `matches` verifies one. So each
// call does a bounded amount of work, however few rows match, and the caller can stop between two
// candidates.
//
// The iterator contract, checked in every test by test/support/iterator-contract.ts:
// - A new cursor is at -1. `nextDoc` and `advance` go to a later candidate or to NO_MORE_DOCS, and
//   are not called there. Every row that matches is a candidate; a candidate need not match.
// - `matches` is called at a candidate, at most once: it may read positions, which are read only
//   once.
// - `score` is called after `matches` has returned true, as often as needed until the cursor moves.
//   It is at most `maxScore`, and exactly that where `isConstant` is true.
// - `cost` is at least the number of matching rows.
// - A cursor may be moved by windows instead: `fill` handles all rows of a window that the cursor has
//   not passed. The windows of one cursor ascend, do not overlap, and begin after the last row at
//   which `matches` was called. Afterwards `docId` is either a row of the window, without meaning, or
//   the first candidate after it; rows of the window must not be used again.
// - `fill` marks only rows inside the window [from, to) and removes no marks. A row without a mark
//   has a score of 0.
// - A borrowed window is given back without marks and scores.
// - The scores given to `setMinScore` never decrease. They change which candidates match, not which
//   rows are candidates.
import type { ScoreDetail } from '../../query/plan-clause.ts';
import { addMatches } from '../rows/bit-set.ts';
import { type DocIterator, NO_MORE_DOCS, type TwoPhaseIterator } from '../sections/segment.ts';
import type { ScoreWindow } from './score-window.ts';

/** Candidates in ascending order; see the contract above. */
export interface Scorer extends TwoPhaseIterator {
  /** Upper bound of all scores; infinite if unknown. */
  readonly maxScore: number;
  /** True when every match scores exactly `maxScore`. */
  readonly isConstant?: boolean;
  /** Allows the cursor to skip matches that score `score` or less, from the current row on. */
  setMinScore?(score: number): void;
  /** A score that at least `count` rows of a new cursor have or exceed; negative if unknown. */
  guaranteedScore?(count: number): number;
  /** Puts the matches in a window into it; present where that costs less than row by row. */
  fill?(window: ScoreWindow): void;
  /**
   * Adds matches of a new cursor to a set, some at a time; true if there are more. Present where
   * that costs less than row by row. Nothing else may be called afterwards.
   */
  addTo?(bits: Uint32Array): boolean;
  /** The score of the current row, which matches. */
  score(): number;
  /** How that score is computed; null if the clause does not score. */
  explain?(): ScoreDetail | null;
}

/** Advances a cursor to `row` unless it is there or past it; true if it is at `row` then. */
export function advanceExact(scorer: DocIterator, row: number): boolean {
  const at = scorer.docId();
  return (at < row ? scorer.advance(row) : at) === row;
}

/** Number of candidates or entries a loop processes before it yields. */
export const STEPS_PER_YIELD = 4096;

/** Adds matches of a new cursor to a set, some at a time; true if there are more. */
export function addSome(bits: Uint32Array, scorer: Scorer): boolean {
  return scorer.addTo?.(bits) ?? addMatches(bits, scorer, STEPS_PER_YIELD);
}

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

/** A scorer that moves with another one and, unless a subclass says otherwise, matches with it. */
export abstract class DerivedScorer implements Scorer {
  readonly cost: number;
  abstract readonly maxScore: number;
  protected readonly inner: Scorer;

  constructor(inner: Scorer) {
    this.inner = inner;
    this.cost = inner.cost;
  }

  docId(): number {
    return this.inner.docId();
  }

  nextDoc(): number {
    return this.inner.nextDoc();
  }

  advance(target: number): number {
    return this.inner.advance(target);
  }

  matches(): boolean {
    return this.inner.matches();
  }

  abstract score(): number;
}

/** The matches of another scorer, all with the same score. */
export class ConstantScorer extends DerivedScorer {
  readonly maxScore: number;
  readonly isConstant = true;

  constructor(inner: Scorer, constant: number) {
    super(inner);
    this.maxScore = constant;
  }

  score(): number {
    return this.maxScore;
  }
}
