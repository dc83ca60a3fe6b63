// Sets of rows or ordinals: one bit each, in 32-bit words, like live docs.
import { NO_MORE_DOCS, type TwoPhaseIterator } from '../sections/segment.ts';

export function newBitSet(size: number): Uint32Array {
  return new Uint32Array((size + 31) >>> 5);
}

export function setBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5]! |= 1 << (index & 31);
}

export function hasBit(bits: Uint32Array, index: number): boolean {
  return ((bits[index >>> 5]! >>> (index & 31)) & 1) === 1;
}

/** The number of the lowest bit that is set in a word, which must not be 0. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** The first member at or after `from`; NO_MORE_DOCS if there is none. */
export function nextSetBit(bits: Uint32Array, from: number): number {
  let word = from >>> 5;
  if (word >= bits.length) return NO_MORE_DOCS;
  let rest = bits[word]! & (-1 << (from & 31));
  while (rest === 0) {
    word += 1;
    if (word === bits.length) return NO_MORE_DOCS;
    rest = bits[word]!;
  }
  return (word << 5) + lowestBit(rest);
}

/** Number of members of `bits`, or of its intersection with `others` unless that is null. */
export function countBits(bits: Uint32Array, others: Uint32Array | null): number {
  let count = 0;
  if (others === null)
    for (let word = 0; word < bits.length; word++) count += bitCount(bits[word]!);
  else
    for (let word = 0; word < bits.length; word++) count += bitCount(bits[word]! & others[word]!);
  return count;
}

/** Number of bits that are set in a word. */
export function bitCount(word: number): number {
  // As signed numbers: V8 computes greater ones in floating point.
  let rest = (word - ((word >>> 1) & 0x55555555)) | 0;
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Adds the matches among at most `stepsMax` candidates; true if there may be more. */
export function addMatches(
  bits: Uint32Array,
  candidates: TwoPhaseIterator,
  stepsMax: number,
): boolean {
  for (let step = 0; step < stepsMax; step++) {
    const row = candidates.nextDoc();
    if (row === NO_MORE_DOCS) return false;
    if (candidates.matches()) bits[row >>> 5]! |= 1 << (row & 31);
  }
  return true;
}

/** Adds rows[from, to). */
export function addRun(bits: Uint32Array, rows: Int32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const row = rows[i]!;
    bits[row >>> 5]! |= 1 << (row & 31);
  }
}
