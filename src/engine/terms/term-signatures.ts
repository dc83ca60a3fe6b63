// Signatures that exclude most terms from a search for a text inside terms, without reading their
// bytes: which letters a term has, and a Bloom filter of its byte pairs. Computed for a dictionary
// on its first such search and cached as long as the dictionary; twelve bytes per term.
// Invariant: a term that contains the text always passes; one that does not may pass.
import { DerivedPart, type QueryCache } from '../index/query-cache.ts';
import type { TermDictionary } from '../sections/segment.ts';

/** Number of terms processed before the generator yields. */
const TERMS_PER_YIELD = 16 * 1024;

export interface TermSignatures {
  /** By ordinal: one bit per kind of byte, see KIND. */
  readonly kinds: Uint32Array;
  /** By ordinal: the Bloom filter of 64 bits, in two halves. */
  readonly pairsLow: Uint32Array;
  readonly pairsHigh: Uint32Array;
}

/** By byte: a bit for each ASCII letter in either case, one for digits, and some for separators. */
const KIND = kindsOfBytes();

function kindsOfBytes(): Uint32Array {
  const kinds = new Uint32Array(256).fill(1 << 31);
  for (let letter = 0; letter < 26; letter++) {
    kinds[0x61 + letter] = 1 << letter;
    kinds[0x41 + letter] = 1 << letter;
  }
  for (let digit = 0x30; digit <= 0x39; digit++) kinds[digit] = 1 << 26;
  for (const [at, byte] of [0x2d, 0x2e, 0x40, 0x20].entries()) kinds[byte] = 1 << (27 + at);
  return kinds;
}

const SIGNATURES = new DerivedPart((_: TermDictionary) => ({
  all: null as TermSignatures | null,
}));

/** The signatures of all terms. */
export function* signaturesOf(
  terms: TermDictionary,
  cache: QueryCache,
): Generator<void, TermSignatures> {
  const cached = cache.of(SIGNATURES, terms);
  cached.all ??= yield* signAll(terms);
  return cached.all;
}

function* signAll(terms: TermDictionary): Generator<void, TermSignatures> {
  const signatures = {
    kinds: new Uint32Array(terms.size),
    pairsLow: new Uint32Array(terms.size),
    pairsHigh: new Uint32Array(terms.size),
  };
  for (let from = 0; from < terms.size; from += TERMS_PER_YIELD) {
    sign(terms, signatures, from, Math.min(from + TERMS_PER_YIELD, terms.size));
    yield;
  }
  return signatures;
}

/** The signature of one text: a term that contains it has all its bits. */
export function signatureOf(text: Uint8Array): TermSignatures {
  const word = new Uint32Array(1);
  const signature = { kinds: word, pairsLow: word.slice(), pairsHigh: word.slice() };
  signRange(text, 0, text.length, signature, 0);
  return signature;
}

function sign(
  { bytes, offsets }: TermDictionary,
  signatures: TermSignatures,
  from: number,
  to: number,
): void {
  for (let ord = from; ord < to; ord++) {
    signRange(bytes, offsets[ord]!, offsets[ord + 1]!, signatures, ord);
  }
}

function signRange(
  bytes: Uint8Array,
  from: number,
  to: number,
  { kinds, pairsLow, pairsHigh }: TermSignatures,
  ord: number,
): void {
  let kind = 0;
  let low = 0;
  let high = 0;
  let last = -1;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    kind |= KIND[byte]!;
    if (last >= 0) {
      // The six highest bits of a product with an odd constant (Knuth, TAOCP 3, 6.4).
      const bit = Math.imul((last << 8) | byte, 0x9e3779b1) >>> 26;
      if (bit < 32) low |= 1 << bit;
      else high |= 1 << (bit - 32);
    }
    last = byte;
  }
  kinds[ord] = kind;
  pairsLow[ord] = low;
  pairsHigh[ord] = high;
}
