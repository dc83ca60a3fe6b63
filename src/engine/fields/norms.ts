// The number of words of a row in a field, encoded in one byte: exact up to 39, then with three
// significant bits. Equal to Lucene's SmallFloat.intToByte4 and byte4ToInt, so that BM25 scores are
// the same.

/** Smaller values are encoded as themselves: 255 minus the code of the largest int. */
const FREE_VALUES = 24;

/** Encodes a length of 0 or more. */
export function intToByte4(length: number): number {
  if (length < FREE_VALUES) return length;
  return FREE_VALUES + longToInt4(length - FREE_VALUES);
}

/** Decodes a byte to the smallest length with that code. */
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
