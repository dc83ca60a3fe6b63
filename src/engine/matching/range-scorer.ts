// Rows whose number is in a range, by scanning the numbers in row order. Used for wide ranges,
// where a page needs only the first rows, and for ranges that do not repeat, such as up to now.

import type { Scorer } from '../scoring/scorer.ts';
import { NO_MORE_DOCS } from '../sections/segment.ts';

/** Most rows passed in one step. */
const STEPS_MAX = 256;

export class RangeScorer implements Scorer {
  readonly cost: number;
  readonly maxScore = 0;
  readonly isConstant = true;
  readonly #values: Float64Array;
  readonly #least: number;
  readonly #greatest: number;
  #row = -1;
  #isInside = false;

  /**
   * @param values by row, NaN for none
   * @param least lower bound, inclusive; `greatest` is the upper one
   * @param count number of rows in the range
   */
  constructor(values: Float64Array, least: number, greatest: number, count: number) {
    this.#values = values;
    this.#least = least;
    this.#greatest = greatest;
    this.cost = count;
  }

  docId(): number {
    return this.#row;
  }

  nextDoc(): number {
    return this.advance(this.#row + 1);
  }

  advance(target: number): number {
    const values = this.#values;
    const least = this.#least;
    const greatest = this.#greatest;
    const stop = Math.min(target + STEPS_MAX, values.length);
    for (let row = target; row < stop; row++) {
      const value = values[row]!;
      if (value < least || !(value <= greatest)) continue;
      // path: number in range
      this.#isInside = true;
      this.#row = row;
      return row;
    }
    // path: no number in range for long
    this.#isInside = false;
    this.#row = stop < values.length ? stop : NO_MORE_DOCS;
    return this.#row;
  }

  /** False only when `advance` stopped after STEPS_MAX rows. */
  matches(): boolean {
    if (this.#isInside) return true;
    const value = this.#values[this.#row]!;
    return value >= this.#least && value <= this.#greatest;
  }

  score(): number {
    return this.maxScore;
  }
}
