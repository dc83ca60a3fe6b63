// Inverts string fields: (row, string) pairs in row order become, for each string in order, its
// rows.

import type { SectionReader, SectionWriter } from '../sections/codec.ts';
import { IntList } from '../sections/growable.ts';
import type { Ranges } from '../sections/paged-section.ts';
import type { PagedRef, SectionRef } from '../sections/section-ref.ts';
import type { Postings } from '../sections/segment.ts';
import { BlockPostings, readDocFreq } from './postings.ts';
import type { PostingsWriter } from './postings-writer.ts';
import type { SortedStrings } from './string-pool.ts';
import { type Terms, TermsBuilder } from './term-dictionary.ts';

/** The (row, string number) pairs of one field, in row order; values of a row in document order. */
export class StringColumn {
  readonly rows = new IntList();
  readonly strings = new IntList();

  push(row: number, string: number): void {
    this.rows.push(row);
    this.strings.push(string);
  }
}

/** Break-even point: sorting one number costs as much as scanning this many words of bits. */
const SORT_SHARE = 16;

/** Working memory that all fields of a segment share, one after the other. */
export class InversionScratch {
  /** By rank; all zero between uses. */
  readonly counts: Int32Array;
  readonly touched = new IntList();
  rows = new Int32Array(1024);
  positions = new Int32Array(1024);
  /** One bit per rank; all zero between uses. */
  readonly #bits: Int32Array;

  constructor(size: number) {
    this.counts = new Int32Array(size);
    this.#bits = new Int32Array((size >>> 5) + 1);
  }

  /** Makes room for `count` entries in `rows` and `positions`. */
  reserve(count: number): void {
    if (this.rows.length >= count) return;
    this.rows = new Int32Array(Math.ceil(count * 1.5));
    this.positions = new Int32Array(this.rows.length);
  }

  /** Returns the touched ranks in order; `counts` still has the number of occurrences of each. */
  sortedTouched(): Int32Array {
    const sorted = this.touched.toArray();
    if (sorted.length * SORT_SHARE < this.#bits.length) return sorted.sort();
    const bits = this.#bits;
    for (const rank of sorted) bits[rank >>> 5]! |= 1 << rank;
    let at = 0;
    for (let word = 0; word < bits.length; word++) {
      for (let left = bits[word]!; left !== 0; left &= left - 1) {
        sorted[at++] = (word << 5) + 31 - Math.clz32(left & -left);
      }
      bits[word] = 0;
    }
    return sorted;
  }

  /** Zeroes the counts. */
  reset(ranks: Int32Array): void {
    for (const rank of ranks) this.counts[rank] = 0;
    this.touched.length = 0;
  }
}

/** Builds the dictionary of some ranks, which must ascend. */
export function termsOf(strings: SortedStrings, ranks: Int32Array): Terms {
  const builder = new TermsBuilder(ranks.length);
  for (const rank of ranks) {
    const string = strings.stringAt[rank]!;
    builder.add(strings.bytes, strings.offsets[string]!, strings.offsets[string + 1]!);
  }
  return builder.finish();
}

/** The sections of a field's postings. */
export interface PostingsRef {
  readonly bytes: SectionRef;
  readonly starts: SectionRef;
}

/** Positions of terms with more than one block of rows are in a section of their own. */
export interface PositionsRef extends PostingsRef {
  readonly positions: PagedRef;
}

export function writePostings(sections: SectionWriter, writer: PostingsWriter): PostingsRef {
  const { bytes, starts } = writer.finish();
  return { bytes: sections.add(bytes), starts: sections.add(starts) };
}

export function writePositions(sections: SectionWriter, writer: PostingsWriter): PositionsRef {
  const { bytes, starts, positions } = writer.finish();
  return {
    bytes: sections.add(bytes),
    starts: sections.add(starts),
    positions: sections.addPaged(positions),
  };
}

/** The postings of all terms of one field. */
export class StoredPostings {
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #positions: Ranges | null;

  constructor(sections: SectionReader, ref: PostingsRef | PositionsRef) {
    this.#bytes = sections.bytes(ref.bytes);
    this.#starts = sections.uint32(ref.starts);
    this.#positions = 'positions' in ref ? sections.ranges(ref.positions) : null;
  }

  docFreq(ord: number): number {
    return readDocFreq(this.#bytes, this.#starts[ord]!);
  }

  postings(ord: number): Postings {
    return new BlockPostings(this.#bytes, this.#starts[ord]!, this.#positions);
  }
}
