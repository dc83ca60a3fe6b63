// Filters a scorer by a set of rows, or by its complement. Each row is looked up in the set, which
// costs less than a leap-frog of two cursors when the set has more rows.
import { NO_MORE_DOCS } from '../index/segment.ts';
import {
  advanceToMarks,
  fillByCandidates,
  fillSeparately,
  fillWindow,
} from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import type { BitSetScorer } from './bit-set-scorer.ts';
import type { Scorer } from './scorer.ts';

/** Most rows passed in one step. */
const STEPS_MAX = 64;

export class FilteredScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #inner: Scorer;
  readonly #rows: BitSetScorer;
  readonly #inside: boolean;
  #rowPasses = false;

  constructor(inner: Scorer, keep: 'in' | 'out of', rows: BitSetScorer) {
    this.#inner = inner;
    this.#rows = rows;
    this.#inside = keep === 'in';
    this.cost = inner.cost;
    this.maxScore = inner.maxScore;
    this.isConstant = inner.isConstant === true;
  }

  /** What is filtered, and by which rows, for callers that need all matches of a new scorer. */
  get parts(): { readonly inner: Scorer; readonly rows: BitSetScorer; readonly isInside: boolean } {
    return { inner: this.#inner, rows: this.#rows, isInside: this.#inside };
  }

  docId(): number {
    return this.#inner.docId();
  }

  nextDoc(): number {
    return this.#nextPassing(this.#inner.nextDoc());
  }

  advance(target: number): number {
    return this.#nextPassing(this.#inner.advance(target));
  }

  matches(): boolean {
    return this.#rowPasses && this.#inner.matches();
  }

  score(): number {
    return this.#inner.score();
  }

  setMinScore(score: number): void {
    this.#inner.setMinScore?.(score);
  }

  fill(window: ScoreWindow): void {
    if (this.#inner.fill === undefined) {
      fillByCandidates(this, window);
      return;
    }
    fillSeparately(window, 'sum', (own) => {
      fillWindow(this.#inner, own);
      advanceToMarks(own, this.#rows, 'nothing', this.#inside ? 'matches' : 'others');
    });
    const row = this.#inner.docId();
    this.#rowPasses = row < NO_MORE_DOCS && this.#rows.has(row) === this.#inside;
  }

  /** The next row that passes the filter, or after STEPS_MAX rows one that does not. */
  #nextPassing(from: number): number {
    let row = from;
    for (let step = 0; row !== NO_MORE_DOCS; step++) {
      this.#rowPasses = this.#rows.has(row) === this.#inside;
      if (this.#rowPasses || step === STEPS_MAX) break;
      row = this.#inner.nextDoc();
    }
    return row;
  }
}
