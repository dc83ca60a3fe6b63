// A set of small numbers, one bit each, that grows with the largest number.
import { countBits, newBitSet, nextSetBit, setBit } from '../../rows/bit-set.ts';

const BITS_MIN = 1024;

export class NumberSet {
  #bits = newBitSet(BITS_MIN);

  get size(): number {
    return countBits(this.#bits, null);
  }

  add(number: number): void {
    if (number >>> 5 >= this.#bits.length) this.#grow(number);
    setBit(this.#bits, number);
  }

  *[Symbol.iterator](): Generator<number> {
    const end = this.#bits.length * 32;
    for (let at = nextSetBit(this.#bits, 0); at < end; at = nextSetBit(this.#bits, at + 1)) {
      yield at;
    }
  }

  #grow(number: number): void {
    const larger = newBitSet(2 * (number + 1));
    larger.set(this.#bits);
    this.#bits = larger;
  }
}
