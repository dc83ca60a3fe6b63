// Sorted distinct terms: their concatenated UTF-8 bytes and the offset of each. Opening parses
// nothing; a look-up is a binary search that compares bytes.

import type { SectionReader, SectionWriter } from '../sections/codec.ts';
import { ByteList } from '../sections/growable.ts';
import type { SectionRef } from '../sections/section-ref.ts';
import type { TermDictionary } from '../sections/segment.ts';
import { byteLength, compareBytes, compareWithText, decodeText } from '../sections/utf8.ts';

/** The two sections of a dictionary. */
export interface DictionaryRef {
  readonly bytes: SectionRef;
  readonly offsets: SectionRef;
}

/** The content of a dictionary. */
export interface Terms {
  readonly bytes: Uint8Array;
  /** One entry more than there are terms. */
  readonly offsets: Uint32Array;
}

/** Builds a dictionary; terms must be added in ascending order. */
export class TermsBuilder {
  readonly #bytes = new ByteList();
  readonly #offsets: Uint32Array;
  #size = 0;

  constructor(sizeMax: number) {
    this.#offsets = new Uint32Array(sizeMax + 1);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds source[from, to). */
  add(source: Uint8Array, from: number, to: number): void {
    this.#bytes.append(source, from, to);
    this.#offsets[++this.#size] = this.#bytes.length;
  }

  finish(): Terms {
    return { bytes: this.#bytes.view(), offsets: this.#offsets.subarray(0, this.#size + 1) };
  }
}

export function writeTerms(sections: SectionWriter, terms: Terms): DictionaryRef {
  return { bytes: sections.add(terms.bytes), offsets: sections.add(terms.offsets) };
}

/** Compares a term of one dictionary with one of another, byte by byte. */
export function compareTerms(left: Terms, leftOrd: number, right: Terms, rightOrd: number): number {
  return compareBytes(
    left.bytes,
    left.offsets[leftOrd]!,
    left.offsets[leftOrd + 1]!,
    right.bytes,
    right.offsets[rightOrd]!,
    right.offsets[rightOrd + 1]!,
  );
}

export function openTerms(sections: SectionReader, ref: DictionaryRef): TermDictionary {
  return new ByteTermDictionary(sections.bytes(ref.bytes), sections.uint32(ref.offsets));
}

/** Returns the number of terms without reading the dictionary. */
export function sizeOfTerms({ offsets }: DictionaryRef): number {
  return offsets[1] - 1;
}

class ByteTermDictionary implements TermDictionary {
  readonly size: number;
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;

  constructor(bytes: Uint8Array, offsets: Uint32Array) {
    this.bytes = bytes;
    this.offsets = offsets;
    this.size = offsets.length - 1;
  }

  term(ord: number): string {
    return decodeText(this.bytes, this.offsets[ord], this.offsets[ord + 1]);
  }

  find(term: string): number {
    const ord = this.ceiling(term);
    return ord < this.size && this.#compare(ord, term) === 0 ? ord : -1;
  }

  ceiling(term: string): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, term) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  prefixEnd(prefix: string, from: number): number {
    const length = byteLength(prefix);
    let low = from + 1;
    let high = low;
    // A galloping search, as few terms have the prefix.
    for (let step = 1; high < this.size && this.#isAlike(from, high, length); step *= 2) {
      low = high + 1;
      high += step;
    }
    high = Math.min(high, this.size);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isAlike(from, middle, length)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(ord: number, term: string): number {
    return compareWithText(this.bytes, this.offsets[ord]!, this.offsets[ord + 1]!, term);
  }

  /** Whether two terms have the same first bytes; the first term has as many. */
  #isAlike(ord: number, otherOrd: number, length: number): boolean {
    const other = this.offsets[otherOrd]!;
    if (this.offsets[otherOrd + 1]! - other < length) return false;
    const from = this.offsets[ord]!;
    for (let i = 0; i < length; i++) {
      if (this.bytes[from + i] !== this.bytes[other + i]) return false;
    }
    return true;
  }
}
