// Sorts numbers together with their rows. Sorting boxed pairs with a comparator takes ten times as
// long, so this is a least-significant-digit radix sort over the order-preserving bits of a double.
// Digits that are equal in all keys are skipped.

const DIGITS = 8;
const SMALL = 48;

/** Sorts both arrays in place by value; the sort is stable. Values must not be NaN or -0. */
export function sortPairs(values: Float64Array, rows: Int32Array): void {
  if (values.length <= SMALL) insertionSort(values, rows);
  else radixSort(values, rows);
}

function insertionSort(values: Float64Array, rows: Int32Array): void {
  for (let i = 1; i < values.length; i++) {
    const value = values[i]!;
    const row = rows[i]!;
    let at = i;
    for (; at > 0 && values[at - 1]! > value; at--) {
      values[at] = values[at - 1]!;
      rows[at] = rows[at - 1]!;
    }
    values[at] = value;
    rows[at] = row;
  }
}

function radixSort(values: Float64Array, rows: Int32Array): void {
  const length = values.length;
  let keys = new Uint32Array(length * 2);
  keys.set(new Uint32Array(values.buffer, values.byteOffset, length * 2));
  const counts = countDigits(keys);
  let from = rows.slice();
  let otherKeys = new Uint32Array(length * 2);
  let otherRows = new Int32Array(length);
  for (let digit = 0; digit < DIGITS; digit++) {
    const starts = counts.subarray(digit * 256, digit * 256 + 256);
    if (!toStarts(starts, length)) continue;
    const half = digit >> 2;
    const shift = (digit & 3) * 8;
    for (let i = 0; i < length; i++) {
      const target = starts[(keys[i * 2 + half]! >>> shift) & 0xff]!++;
      otherKeys[target * 2] = keys[i * 2]!;
      otherKeys[target * 2 + 1] = keys[i * 2 + 1]!;
      otherRows[target] = from[i]!;
    }
    [keys, otherKeys] = [otherKeys, keys];
    [from, otherRows] = [otherRows, from];
  }
  flip(keys, 'decode');
  new Uint32Array(values.buffer, values.byteOffset, length * 2).set(keys);
  rows.set(from);
}

/** Maps the bits of doubles to integers in the same order, and counts the values of each digit. */
function countDigits(keys: Uint32Array): Int32Array {
  flip(keys, 'encode');
  const counts = new Int32Array(DIGITS * 256);
  for (let at = 0; at < keys.length; at++) {
    const base = (at & 1) * 1024;
    const key = keys[at]!;
    counts[base + (key & 0xff)]! += 1;
    counts[base + 256 + ((key >>> 8) & 0xff)]! += 1;
    counts[base + 512 + ((key >>> 16) & 0xff)]! += 1;
    counts[base + 768 + (key >>> 24)]! += 1;
  }
  return counts;
}

/** Inverts all bits of negative doubles, and the sign bit of others. */
function flip(keys: Uint32Array, direction: 'encode' | 'decode'): void {
  for (let at = 0; at < keys.length; at += 2) {
    const high = keys[at + 1]!;
    const negative = direction === 'encode' ? high >>> 31 === 1 : high >>> 31 === 0;
    if (negative) {
      keys[at] = ~keys[at]!;
      keys[at + 1] = ~high;
    } else {
      keys[at + 1] = high ^ 0x80000000;
    }
  }
}

/** Turns counts into start offsets; false if all keys have the same digit. */
function toStarts(counts: Int32Array, length: number): boolean {
  let start = 0;
  for (let digit = 0; digit < 256; digit++) {
    const count = counts[digit]!;
    if (count === length) return false;
    counts[digit] = start;
    start += count;
  }
  return true;
}
