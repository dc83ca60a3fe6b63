// Converts strings to UTF-8 and compares them. Terms are ordered by bytes, which is code point
// order; JavaScript compares UTF-16 units and sorts astral characters before U+E000..U+FFFF.
// Invariant: TextDecoder may reject shared memory, so bytes are copied before decoding.

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes bytes[start, end), which may be shared memory. */
export function decodeText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return decoder.decode(bytes.slice(start, end));
}

/** Encodes a text as UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The length of a text as UTF-8; a lone surrogate becomes U+FFFD. */
export function byteLength(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 0x7f) return encoder.encode(text).length;
  }
  return text.length;
}

/**
 * Encodes a text at `at` and returns the end. The target must have room for 3 bytes per UTF-16
 * unit.
 */
export function encodeAt(text: string, target: Uint8Array, at: number): number {
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return at + encoder.encodeInto(text, target.subarray(at)).written;
    target[at + i] = code;
  }
  return at + length;
}

/** Compares two well-formed texts by code points: negative, 0 or positive. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}

/** Ranks UTF-16 units in code point order: surrogates after all others. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Compares bytes[from, to), UTF-8, with a text by code points: negative, 0 or positive. A lone
 * surrogate of the text counts as U+FFFD.
 */
export function compareWithText(bytes: Uint8Array, from: number, to: number, text: string): number {
  let at = from;
  for (let unit = 0; unit < text.length; unit++) {
    const code = text.charCodeAt(unit);
    if (code > 0x7f) {
      const rest = encodeText(text.slice(unit));
      return compareBytes(bytes, at, to, rest, 0, rest.length);
    }
    if (at === to) return -1;
    const difference = bytes[at]! - code;
    if (difference !== 0) return difference;
    at += 1;
  }
  return to - at;
}

/** Compares left[from, to) with right[rightFrom, rightTo), byte by byte. */
export function compareBytes(
  left: Uint8Array,
  from: number,
  to: number,
  right: Uint8Array,
  rightFrom: number,
  rightTo: number,
): number {
  const leftLength = to - from;
  const rightLength = rightTo - rightFrom;
  const length = Math.min(leftLength, rightLength);
  for (let i = 0; i < length; i++) {
    const difference = left[from + i]! - right[rightFrom + i]!;
    if (difference !== 0) return difference;
  }
  return leftLength - rightLength;
}
