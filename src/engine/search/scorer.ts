// The cursor over the rows of one segment that may match a query, in two phases as Lucene's TwoPhaseIterator: the
// iterator walks candidates, `matches` decides about one. So every call does a bounded piece of work, however few
// rows match, and whoever drives the cursor can stop between two candidates.
// Invariant: no matching row is ever passed over; a candidate that does not match is allowed.
import type { ScoreDetail } from '../../query/plan-clause.ts';
import { type DocIterator, NO_MORE_DOCS } from '../index/segment.ts';
import type { ScoreWindow } from './score-window.ts';

/** Candidates in ascending order. */
export interface Scorer extends DocIterator {
  /** No row scores more; infinite where that is not known. */
  readonly maxScore: number;
  /** Whether every match is known to score just that. */
  readonly isConstant?: boolean;
  /** From now on, rows that score `score` or less need not be found to match: nobody wants them. */
  setMinScore?(score: number): void;
  /** A score that at least so many of its rows have, or more; negative where none is known. */
  reachedBy?(count: number): number;
  /** Where a run of rows is cheaper than one after the other: see fillWindow. */
  fill?(window: ScoreWindow): void;
  /** As `fill`, but adds its scores to the rows that are marked already, and marks no others. */
  addToMarked?(window: ScoreWindow): void;
  /** Whether the candidate is a match. To be asked once a candidate, before `score`. */
  matches(): boolean;
  /** The score of the current row, once it is known to match. */
  score(): number;
  /** How that score came about; only cursors that compute one can tell. */
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
