// A set of small numbers that is cleared in constant time, to be reused for each of many documents.
import { doubled } from '../../sections/growable.ts';

const NUMBERS_MIN = 64;

export class NumberMarks {
  /** By number: the round in which it was last added. */
  #rounds = new Int32Array(NUMBERS_MIN);
  #round = 1;

  /** Removes all numbers. */
  clear(): void {
    this.#round += 1;
    if (this.#round < 0x7fffffff) return;
    this.#rounds.fill(0);
    this.#round = 1;
  }

  /**
   * @param number not negative
   * @returns true if it was not in the set yet
   */
  add(number: number): boolean {
    while (number >= this.#rounds.length) this.#rounds = doubled(this.#rounds);
    if (this.#rounds[number] === this.#round) return false;
    this.#rounds[number] = this.#round;
    return true;
  }
}
