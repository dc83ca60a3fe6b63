// The inverted index of the words of a text field: dictionary, postings with positions, norms, and
// the totals that BM25 needs. `invertWords` builds it from the values of documents; the merge calls
// `writeWordIndex` directly.

import type { SectionReader, SectionWriter } from '../sections/codec.ts';
import { IntList } from '../sections/growable.ts';
import {
  isByRow,
  layOutRows,
  type RowLayoutRef,
  StoredRowLayout,
  writeRowLayout,
} from '../sections/row-layout.ts';
import type { SectionRef } from '../sections/section-ref.ts';
import {
  POSITION_GAP,
  type Postings,
  type TermDictionary,
  type WordIndex,
} from '../sections/segment.ts';
import {
  type InversionScratch,
  type PositionsRef,
  StoredPostings,
  type StringColumn,
  termsOf,
  writePositions,
} from './inversion.ts';
import { intToByte4 } from './norms.ts';
import { PostingsWriter } from './postings-writer.ts';
import type { SortedStrings } from './string-pool.ts';
import { type DictionaryRef, openTerms, type Terms, writeTerms } from './term-dictionary.ts';

export interface WordIndexRef {
  readonly terms: DictionaryRef;
  readonly postings: PositionsRef;
  /** The rows with a word; `norms` has their norms. */
  readonly layout: RowLayoutRef;
  readonly norms: SectionRef;
  readonly sumTotalTermFreq: number;
}

/** @returns null if the values have no words */
export function invertWords(
  sections: SectionWriter,
  strings: SortedStrings,
  column: StringColumn,
  rowCount: number,
  scratch: InversionScratch,
): WordIndexRef | null {
  const total = countWords(strings, column, scratch);
  if (total === 0) return null;
  const ranks = scratch.sortedTouched();
  const counts = scratch.counts;
  let start = 0;
  for (const rank of ranks) {
    const count = counts[rank]!;
    counts[rank] = start;
    start += count;
  }
  scratch.reserve(total);
  const norms = new Uint8Array(rowCount);
  scatterWords(strings, column, scratch, norms);
  const postings = new PostingsWriter(ranks.length, norms);
  let at = 0;
  for (const rank of ranks) {
    const end = counts[rank]!; // scatterWords advanced each count to the end of its term
    writeTerm(postings, scratch, at, end);
    at = end;
  }
  const terms = termsOf(strings, ranks);
  scratch.reset(ranks);
  return writeWordIndex(sections, { terms, postings, norms, sumTotalTermFreq: total });
}

/** The input of `writeWordIndex`. */
export interface WordIndexParts {
  readonly terms: Terms;
  readonly postings: PostingsWriter;
  readonly norms: Uint8Array;
  readonly sumTotalTermFreq: number;
}

export function writeWordIndex(sections: SectionWriter, parts: WordIndexParts): WordIndexRef {
  const rows = new IntList();
  for (let row = 0; row < parts.norms.length; row++) if (parts.norms[row] !== 0) rows.push(row);
  const rowLayout = layOutRows(rows, parts.norms.length);
  let norms = parts.norms;
  if (!isByRow(rowLayout)) norms = Uint8Array.from(rows.toArray(), (row) => parts.norms[row]!);
  return {
    terms: writeTerms(sections, parts.terms),
    postings: writePositions(sections, parts.postings),
    layout: writeRowLayout(sections, rowLayout),
    norms: sections.add(norms),
    sumTotalTermFreq: parts.sumTotalTermFreq,
  };
}

function countWords(
  strings: SortedStrings,
  column: StringColumn,
  scratch: InversionScratch,
): number {
  const { words, wordsAt } = strings;
  const { counts, touched } = scratch;
  const values = column.strings.data;
  let total = 0;
  for (let i = 0; i < column.strings.length; i++) {
    const first = wordsAt[values[i]!]! + 1;
    const end = first + words[first - 1]!;
    for (let at = first; at < end; at++) {
      const rank = words[at]!;
      if (counts[rank]! === 0) touched.push(rank);
      counts[rank]! += 1;
    }
    total += end - first;
  }
  return total;
}

/** Writes the row and position of each word to the range of its term, and computes the norms. */
function scatterWords(
  strings: SortedStrings,
  column: StringColumn,
  scratch: InversionScratch,
  norms: Uint8Array,
): void {
  const { words, wordsAt } = strings;
  const { counts, rows, positions } = scratch;
  const rowOf = column.rows.data;
  const values = column.strings.data;
  const length = column.rows.length;
  for (let i = 0; i < length; ) {
    const row = rowOf[i]!;
    let position = 0;
    let wordCount = 0;
    for (; i < length && rowOf[i] === row; i++) {
      const first = wordsAt[values[i]!]! + 1;
      const end = first + words[first - 1]!;
      for (let at = first; at < end; at++) {
        const target = counts[words[at]!]!++;
        rows[target] = row;
        positions[target] = position++;
      }
      wordCount += end - first;
      position += POSITION_GAP;
    }
    norms[row] = intToByte4(wordCount);
  }
}

function writeTerm(
  postings: PostingsWriter,
  scratch: InversionScratch,
  from: number,
  to: number,
): void {
  const { rows, positions } = scratch;
  let last = -1;
  for (let i = from; i < to; i++) {
    const row = rows[i]!;
    if (row !== last) postings.doc(row);
    postings.position(positions[i]!);
    last = row;
  }
  postings.endTerm();
}

export function openWordIndex(sections: SectionReader, ref: WordIndexRef): WordIndex {
  return new StoredWordIndex(sections, ref);
}

/** Reads each part on first use. */
class StoredWordIndex implements WordIndex {
  readonly docCount: number;
  readonly sumTotalTermFreq: number;
  readonly #sections: SectionReader;
  readonly #ref: WordIndexRef;
  readonly #layout: StoredRowLayout;
  #terms: TermDictionary | null = null;
  #norms: Uint8Array | null = null;
  #postings: StoredPostings | null = null;

  constructor(sections: SectionReader, ref: WordIndexRef) {
    this.#sections = sections;
    this.#ref = ref;
    this.#layout = new StoredRowLayout(sections, ref.layout);
    this.docCount = ref.layout.docCount;
    this.sumTotalTermFreq = ref.sumTotalTermFreq;
  }

  get terms(): TermDictionary {
    this.#terms ??= openTerms(this.#sections, this.#ref.terms);
    return this.#terms;
  }

  get norms(): Uint8Array {
    if (this.#norms === null) {
      const stored = this.#sections.bytes(this.#ref.norms);
      this.#norms = this.#layout.spread(stored, new Uint8Array(this.#layout.spreadLength));
    }
    return this.#norms;
  }

  docFreq(ord: number): number {
    return this.#storedPostings().docFreq(ord);
  }

  postings(ord: number): Postings {
    return this.#storedPostings().postings(ord);
  }

  #storedPostings(): StoredPostings {
    this.#postings ??= new StoredPostings(this.#sections, this.#ref.postings);
    return this.#postings;
  }
}
