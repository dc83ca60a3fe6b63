// The matches of a scorer that are in a set of rows, or that are not: each row is looked up in the set, which is cheaper
// than two cursors that come to meet each other wherever the set has the more rows.
import { NO_MORE_DOCS } from '../index/segment.ts';
import { advanceToMarks, fillApart, fillWindow, walkWindow } from '../scoring/fill-window.ts';
import type { ScoreWindow } from '../scoring/score-window.ts';
import type { BitSetScorer } from './bit-set-scorer.ts';
import type { Scorer } from './scorer.ts';

/** Rows passed in one step. */
const STEPS_MAX = 64;

export class FilteredScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant: boolean;
  readonly #inner: Scorer;
  readonly #rows: BitSetScorer;
  readonly #inside: boolean;
  #passes = false;

  constructor(inner: Scorer, keep: 'in' | 'out of', rows: BitSetScorer) {
    this.#inner = inner;
    this.#rows = rows;
    this.#inside = keep === 'in';
    this.cost = inner.cost;
    this.maxScore = inner.maxScore;
    this.isConstant = inner.isConstant === true;
  }

  docId(): number {
    return this.#inner.docId();
  }

  nextDoc(): number {
    return this.#passing(this.#inner.nextDoc());
  }

  advance(target: number): number {
    return this.#passing(this.#inner.advance(target));
  }

  matches(): boolean {
    return this.#passes && this.#inner.matches();
  }

  score(): number {
    return this.#inner.score();
  }

  setMinScore(score: number): void {
    this.#inner.setMinScore?.(score);
  }

  fill(window: ScoreWindow): void {
    if (this.#inner.fill === undefined) {
      walkWindow(this, window);
      return;
    }
    fillApart(window, 'sum', (own) => {
      fillWindow(this.#inner, own);
      advanceToMarks(own, this.#rows, 'nothing', this.#inside ? 'matches' : 'others');
    });
    const row = this.#inner.docId();
    this.#passes = row < NO_MORE_DOCS && this.#rows.has(row) === this.#inside;
  }

  /** The first row at or behind one that passes; or one that does not, after long enough. */
  #passing(from: number): number {
    let row = from;
    for (let step = 0; row !== NO_MORE_DOCS; step++) {
      this.#passes = this.#rows.has(row) === this.#inside;
      if (this.#passes || step === STEPS_MAX) break;
      row = this.#inner.nextDoc();
    }
    return row;
  }
}
