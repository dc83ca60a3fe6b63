// Which terms of a dictionary hold a text somewhere inside: a search over the dictionary's bytes as one long string
// (Boyer-Moore-Horspool), many times as fast as asking term by term. An occurrence that spans two terms is none.
import type { RegexpNode } from '../../query/regexp.ts';
import type { TermDictionary } from '../index/segment.ts';
import { encodeText } from '../index/utf8.ts';
import { newBitSet, setBit } from './bit-set.ts';
import type { Ordinals } from './field-terms.ts';

/** Bytes looked through before others may have their turn. */
const BYTES_PER_YIELD = 256 * 1024;

/** The longest text that every match of an expression holds, as far as it is plain to see; may be empty. */
export function requiredLiteral(node: RegexpNode): string {
  if (node.kind === 'string') return node.value;
  if (node.kind !== 'concat') return '';
  return node.nodes.reduce(
    (longest, part) =>
      part.kind === 'string' && part.value.length > longest.length ? part.value : longest,
    '',
  );
}

/** Whether the expression asks for nothing but the text, anywhere in the term. */
export function asksOnlyFor(literal: string, node: RegexpNode): boolean {
  if (node.kind !== 'concat' || node.nodes.length !== 3) return false;
  const [before, text, after] = node.nodes;
  return (
    before?.kind === 'anyString' &&
    after?.kind === 'anyString' &&
    text?.kind === 'string' &&
    text.value === literal
  );
}

/** The terms of a range that hold `literal`, which must not be empty. */
export function* termsWithLiteral(
  terms: TermDictionary,
  literal: string,
  range: { readonly from: number; readonly to: number },
): Generator<void, Ordinals> {
  const only = newBitSet(terms.size);
  const needle = encodeText(literal);
  const skips = skipTable(needle);
  const end = terms.offsets[range.to]!;
  let at = terms.offsets[range.from]!;
  let ord = range.from;
  let count = 0;
  while (at < end) {
    const stop = Math.min(end, at + BYTES_PER_YIELD);
    for (;;) {
      at = nextOccurrence(terms.bytes, needle, skips, at, Math.min(end, stop + needle.length - 1));
      if (at < 0) break;
      ord = termAt(terms.offsets, at, ord, range.to);
      const termEnd = terms.offsets[ord + 1]!;
      if (at + needle.length <= termEnd) {
        setBit(only, ord);
        count += 1;
        at = termEnd;
      } else {
        at += 1;
      }
      if (at >= stop) break;
    }
    if (at < stop) at = stop;
    yield;
  }
  return { ...range, only, count };
}

/** By byte, how far the needle may move when that byte lies under its end. */
function skipTable(needle: Uint8Array): Int32Array {
  const last = needle.length - 1;
  const skips = new Int32Array(256).fill(needle.length);
  for (let at = 0; at < last; at++) skips[needle[at]!] = last - at;
  return skips;
}

/** Where the needle begins at or after `from`, wholly before `end`; -1 when nowhere. */
function nextOccurrence(
  bytes: Uint8Array,
  needle: Uint8Array,
  skips: Int32Array,
  from: number,
  end: number,
): number {
  const last = needle.length - 1;
  const lastByte = needle[last]!;
  for (let at = from + last; at < end; ) {
    const byte = bytes[at]!;
    if (byte === lastByte) {
      let back = 1;
      while (back <= last && bytes[at - back] === needle[last - back]) back += 1;
      if (back > last) return at - last;
    }
    at += skips[byte]!;
  }
  return -1;
}

/** The term that the byte at `offset` belongs to: the last one at or after `from` that begins at or before it. */
function termAt(offsets: Uint32Array, offset: number, from: number, to: number): number {
  let low = from;
  let high = to - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (offsets[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
