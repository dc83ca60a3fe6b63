// Random choices from a seed, so that a failing case is reproducible.
import { seededRandom } from '../../src/testing/seeded-random.ts';

export class Random {
  /** A number from 0, less than 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  /** An integer from 0, less than `end`. */
  int(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.int(values.length)] as Value;
  }

  /** A list of `min` to `max` created items. */
  list<Value>(min: number, max: number, make: () => Value): Value[] {
    return Array.from({ length: min + this.int(max - min + 1) }, make);
  }
}
