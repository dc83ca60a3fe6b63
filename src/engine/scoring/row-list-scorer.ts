// Scorer over a short list of rows: what few terms, ids or numbers match. A bit set of a large table
// takes a megabyte for every eight million rows, however few are in it.

import { setBit } from '../rows/bit-set.ts';
import { firstFrom } from '../rows/row-list.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';
import type { ScoreWindow } from './score-window.ts';
import type { Scorer } from './scorer.ts';

export class RowListScorer implements Scorer {
  readonly cost: number;
  readonly maxScore: number;
  readonly isConstant = true;
  /** Ascending, each once. */
  readonly rows: Int32Array;
  /** Index of the current row; -1 before the first. */
  #at = -1;

  constructor(rows: Int32Array, constant: number) {
    this.rows = rows;
    this.cost = rows.length;
    this.maxScore = constant;
  }

  docId(): number {
    return this.#at < 0 ? -1 : this.#row();
  }

  nextDoc(): number {
    if (this.#at < this.cost) this.#at += 1;
    return this.#row();
  }

  advance(target: number): number {
    // path: list searched
    this.#at = firstFrom(this.rows, this.#at + 1, target);
    return this.#row();
  }

  matches(): boolean {
    return true;
  }

  score(): number {
    return this.maxScore;
  }

  guaranteedScore(count: number): number {
    return this.cost >= count ? this.maxScore : -1;
  }

  fill(window: ScoreWindow): void {
    if (this.docId() < window.from) this.advance(window.from);
    for (let row = this.#row(); row < window.to; row = this.nextDoc()) {
      // path: put into a window
      window.put(row, this.maxScore);
    }
  }

  addTo(bits: Uint32Array): boolean {
    for (const row of this.rows) /* path: added to a set */ setBit(bits, row);
    return false;
  }

  #row(): number {
    return this.#at < this.cost ? this.rows[this.#at]! : NO_MORE_DOCS;
  }
}
