// Sorts distinct byte strings: six bytes at a time become one number, the numbers are radix-sorted,
// and groups of equal numbers are sorted by their next six bytes. Takes half the time of sorting
// JavaScript strings, and byte order needs no special case for surrogates.
import { sortPairs } from './sort-pairs.ts';

/** 257^6 is below 2^53: a digit is a byte plus 1, or 0 after the end of the string. */
const BYTES_PER_KEY = 6;
const RADIX = 257;

/**
 * @param bytes all strings, concatenated
 * @param offsets string `i` is bytes[offsets[i], offsets[i + 1])
 * @returns the numbers of the strings in byte order
 */
export function sortTerms(bytes: Uint8Array, offsets: Float64Array): Int32Array {
  const count = offsets.length - 1;
  const order = Int32Array.from({ length: count }, (_, i) => i);
  const keys = new Float64Array(count);
  const groups: number[] = [0, count, 0];
  while (groups.length > 0) {
    const depth = groups.pop() ?? 0;
    const to = groups.pop() ?? 0;
    const from = groups.pop() ?? 0;
    for (let i = from; i < to; i++) {
      const string = order[i]!;
      keys[i] = keyOf(bytes, offsets[string]! + depth, offsets[string + 1]!);
    }
    sortPairs(keys.subarray(from, to), order.subarray(from, to));
    for (let first = from; first < to; ) {
      const key = keys[first]!;
      let end = first + 1;
      while (end < to && keys[end] === key) end += 1;
      if (end - first > 1) groups.push(first, end, depth + BYTES_PER_KEY);
      first = end;
    }
  }
  return order;
}

function keyOf(bytes: Uint8Array, from: number, to: number): number {
  let key = 0;
  for (let at = from; at < from + BYTES_PER_KEY; at++) {
    key = key * RADIX + (at < to ? bytes[at]! + 1 : 0);
  }
  return key;
}
