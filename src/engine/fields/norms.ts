// How many words a row has in a field, in one byte: lengths up to 39 exactly, then with three significant bits.
// The same numbers as Lucene's SmallFloat.intToByte4 and byte4ToInt, so that BM25 scores agree.

/** Values below this are their own code: 255 minus the code of the largest int. */
const FREE_VALUES = 24;

/** The byte of a length of 0 or more. */
export function intToByte4(length: number): number {
  if (length < FREE_VALUES) return length;
  return FREE_VALUES + longToInt4(length - FREE_VALUES);
}

/** The length a byte stands for: the least of those that have it. */
export function byte4ToInt(byte: number): number {
  if (byte < FREE_VALUES) return byte;
  return FREE_VALUES + int4ToLong(byte - FREE_VALUES);
}

function longToInt4(value: number): number {
  const bits = 32 - Math.clz32(value);
  if (bits < 4) return value;
  const shift = bits - 4;
  return ((value >>> shift) & 0x07) | ((shift + 1) << 3);
}

function int4ToLong(code: number): number {
  const bits = code & 0x07;
  const shift = (code >>> 3) - 1;
  return shift === -1 ? bits : (bits | 0x08) * 2 ** shift;
}
