// A set of keys over the indices of a request: strings as bytes, and numbers.
// Invariant: counts are exact; a number and the string of its digits are two keys.
import { StringTable } from './string-table.ts';

const STEPS_PER_YIELD = 4096;

export class DistinctKeys {
  readonly #strings: StringTable;
  readonly #numbers = new Set<number>();

  /** @param expected number of strings that fit without growing */
  constructor(expected = 0) {
    this.#strings = new StringTable(expected);
  }

  get size(): number {
    return this.#strings.size + this.#numbers.size;
  }

  add(key: string | number): void {
    if (typeof key === 'number') this.#numbers.add(key);
    else this.#strings.addText(key);
  }

  /** Adds the string whose UTF-8 is bytes[from, to); the bytes must not change. */
  addString(bytes: Uint8Array, from: number, to: number): void {
    this.#strings.add(bytes, from, to);
  }

  /** Adds a string of a table. */
  addFrom(strings: StringTable, number: number): void {
    this.#strings.addFrom(strings, number);
  }

  /** Adds the keys of another set, yielding from time to time. */
  *addAll(other: DistinctKeys): Generator<void> {
    for (const number of other.#numbers) this.#numbers.add(number);
    for (let number = 0; number < other.#strings.size; number++) {
      this.#strings.addFrom(other.#strings, number);
      if (number % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    }
  }
}
