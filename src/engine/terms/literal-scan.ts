// Finds the terms of a dictionary that contain a text. Signatures exclude most terms; the others
// are compared byte by byte.
import type { RegexpNode } from '../../query/language/regexp.ts';
import type { QueryCache } from '../index/query-cache.ts';
import { countBits, newBitSet, setBit } from '../rows/bit-set.ts';
import type { TermDictionary } from '../sections/segment.ts';
import { encodeText } from '../sections/utf8.ts';
import type { Ordinals } from './field-terms.ts';
import { signatureOf, signaturesOf, type TermSignatures } from './term-signatures.ts';

/** The longest text that the expression visibly requires in every match; may be empty. */
export function requiredLiteral(node: RegexpNode): string {
  if (node.kind === 'string') return node.value;
  if (node.kind !== 'concat') return '';
  return node.nodes.reduce(
    (longest, part) =>
      part.kind === 'string' && part.value.length > longest.length ? part.value : longest,
    '',
  );
}

/** True if the expression matches exactly the terms that contain the text. */
export function matchesOnlyLiteral(literal: string, node: RegexpNode): boolean {
  if (node.kind !== 'concat' || node.nodes.length !== 3) return false;
  const [before, text, after] = node.nodes;
  return (
    before?.kind === 'anyString' &&
    after?.kind === 'anyString' &&
    text?.kind === 'string' &&
    text.value === literal
  );
}

/** The terms of a range that contain `literal`, which must not be empty. */
export function* termsWithLiteral(
  terms: TermDictionary,
  literal: string,
  { from, to }: { readonly from: number; readonly to: number },
  cache: QueryCache,
): Generator<void, Ordinals> {
  const only = newBitSet(terms.size);
  const needle = encodeText(literal);
  const signatures = yield* signaturesOf(terms, cache);
  const signature = signatureOf(needle);
  let count = 0;
  for (let ord = from; ord < to; ord += TERMS_PER_YIELD) {
    const end = Math.min(ord + TERMS_PER_YIELD, to);
    count += scan(terms, signatures, signature, needle, ord, end, only);
    yield;
  }
  return { from, to, only, count };
}

/** Number of terms processed before the generator yields. */
const TERMS_PER_YIELD = 16 * 1024;

function scan(
  { bytes, offsets }: TermDictionary,
  { kinds, pairsLow, pairsHigh }: TermSignatures,
  signature: TermSignatures,
  needle: Uint8Array,
  from: number,
  to: number,
  only: Uint32Array,
): number {
  // As signed numbers, which `&` returns.
  const kind = signature.kinds[0]! | 0;
  const low = signature.pairsLow[0]! | 0;
  const high = signature.pairsHigh[0]! | 0;
  let count = 0;
  // Few terms have the same pairs of letters, while most have the same letters.
  const [first, firstBits, second, secondBits] =
    countBits(signature.pairsLow, null) >= countBits(signature.pairsHigh, null)
      ? [pairsLow, low, pairsHigh, high]
      : [pairsHigh, high, pairsLow, low];
  for (let ord = from; ord < to; ord++) {
    if ((first[ord]! & firstBits) !== firstBits) continue;
    if ((second[ord]! & secondBits) !== secondBits || (kinds[ord]! & kind) !== kind) continue;
    if (!contains(bytes, offsets[ord]!, offsets[ord + 1]!, needle)) continue;
    setBit(only, ord);
    count += 1;
  }
  return count;
}

function contains(bytes: Uint8Array, from: number, to: number, needle: Uint8Array): boolean {
  const first = needle[0]!;
  const length = needle.length;
  for (let at = from; at + length <= to; at++) {
    if (bytes[at] !== first) continue;
    let matched = 1;
    while (matched < length && bytes[at + matched] === needle[matched]) matched += 1;
    if (matched === length) return true;
  }
  return false;
}
