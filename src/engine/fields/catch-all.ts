// The catch-all of the root table: all words of text leaves, all folded values of keyword leaves
// and all longs, nested leaves included. A word without a field takes one look-up in it instead of
// one per field.
import type { SectionReader, SectionWriter } from '../sections/codec.ts';
import { IntList } from '../sections/growable.ts';
import type { CatchAll, Postings, TermDictionary, WordIndex } from '../sections/segment.ts';
import {
  type InversionScratch,
  type PostingsRef,
  StoredPostings,
  type StringColumn,
  termsOf,
  writePostings,
} from './inversion.ts';
import { type NumberColumnBuilder, type SortedPairsRef, writeSortedPairs } from './number-index.ts';
import { PostingsWriter } from './postings-writer.ts';
import type { SortedStrings } from './string-pool.ts';
import { type DictionaryRef, openTerms, type Terms, writeTerms } from './term-dictionary.ts';
import { addDistinct } from './value-index.ts';
import { invertWords, openWordIndex, type WordIndexRef, writeWordIndex } from './word-index.ts';

export interface CatchAllRef {
  readonly words: WordIndexRef;
  readonly folded: FoldedIndexRef;
  readonly longs: SortedPairsRef;
}

export interface FoldedIndexRef {
  readonly terms: DictionaryRef;
  readonly postings: PostingsRef;
  readonly docCount: number;
  readonly sumDocFreq: number;
}

/** The values of documents for the catch-all; rows are root rows. */
export interface CatchAllColumns {
  /** Values of text leaves. */
  readonly texts: StringColumn;
  /** Values of keyword leaves. */
  readonly keywords: StringColumn;
  readonly longs: NumberColumnBuilder;
}

export function invertCatchAll(
  sections: SectionWriter,
  strings: SortedStrings,
  columns: CatchAllColumns,
  rowCount: number,
  scratch: InversionScratch,
): CatchAllRef {
  const words = invertWords(sections, strings, columns.texts, rowCount, scratch);
  return {
    words: words ?? writeEmptyWordIndex(sections, rowCount),
    folded: invertFolded(sections, strings, columns.keywords, scratch),
    longs: writeSortedPairs(sections, columns.longs),
  };
}

/** Writes the word index of a segment without words: every segment has a catch-all. */
export function writeEmptyWordIndex(sections: SectionWriter, rowCount: number): WordIndexRef {
  const norms = new Uint8Array(rowCount);
  return writeWordIndex(sections, {
    terms: { bytes: new Uint8Array(0), offsets: new Uint32Array(1) },
    postings: new PostingsWriter(0, norms),
    norms,
    sumTotalTermFreq: 0,
  });
}

export function writeFoldedIndex(
  sections: SectionWriter,
  terms: Terms,
  postings: PostingsWriter,
  counts: { readonly docCount: number; readonly sumDocFreq: number },
): FoldedIndexRef {
  return {
    terms: writeTerms(sections, terms),
    postings: writePostings(sections, postings),
    ...counts,
  };
}

function invertFolded(
  sections: SectionWriter,
  strings: SortedStrings,
  column: StringColumn,
  scratch: InversionScratch,
): FoldedIndexRef {
  const { rows, ranks: pairs, docCount } = distinctFolded(strings, column);
  const { counts, touched } = scratch;
  for (let i = 0; i < pairs.length; i++) {
    if (counts[pairs.data[i]!]!++ === 0) touched.push(pairs.data[i]!);
  }
  const ranks = scratch.sortedTouched();
  let start = 0;
  for (const rank of ranks) {
    const count = counts[rank]!;
    counts[rank] = start;
    start += count;
  }
  const byRank = new Int32Array(pairs.length);
  for (let i = 0; i < pairs.length; i++) byRank[counts[pairs.data[i]!]!++] = rows.data[i]!;
  const postings = new PostingsWriter(ranks.length, null);
  let at = 0;
  for (const rank of ranks) {
    for (const end = counts[rank]!; at < end; at++) postings.doc(byRank[at]!);
    postings.endTerm();
  }
  scratch.reset(ranks);
  const terms = termsOf(strings, ranks);
  return writeFoldedIndex(sections, terms, postings, { docCount, sumDocFreq: pairs.length });
}

function distinctFolded(
  strings: SortedStrings,
  column: StringColumn,
): { readonly rows: IntList; readonly ranks: IntList; readonly docCount: number } {
  const rows = new IntList();
  const ranks = new IntList();
  const length = column.rows.length;
  let docCount = 0;
  for (let i = 0; i < length; docCount++) {
    const row = column.rows.data[i]!;
    const first = ranks.length;
    for (; i < length && column.rows.data[i] === row; i++) {
      const rank = strings.rankOf[column.strings.data[i]!]!;
      addDistinct(ranks, first, strings.foldedRankOf[rank]!);
    }
    while (rows.length < ranks.length) rows.push(row);
  }
  return { rows, ranks, docCount };
}

export function openCatchAll(sections: SectionReader, ref: CatchAllRef): CatchAll {
  return new StoredCatchAll(sections, ref);
}

/** Reads each part on first use. */
class StoredCatchAll implements CatchAll {
  readonly words: WordIndex;
  readonly folded: CatchAll['folded'];
  readonly #sections: SectionReader;
  readonly #longs: SortedPairsRef;

  constructor(sections: SectionReader, ref: CatchAllRef) {
    this.#sections = sections;
    this.#longs = ref.longs;
    this.words = openWordIndex(sections, ref.words);
    this.folded = new StoredFoldedIndex(sections, ref.folded);
  }

  get longs(): CatchAll['longs'] {
    return {
      sortedValues: this.#sections.float64(this.#longs.values),
      sortedRows: this.#sections.int32(this.#longs.rows),
    };
  }
}

class StoredFoldedIndex {
  readonly docCount: number;
  readonly sumDocFreq: number;
  readonly #sections: SectionReader;
  readonly #ref: FoldedIndexRef;
  #terms: TermDictionary | null = null;
  #postings: StoredPostings | null = null;

  constructor(sections: SectionReader, ref: FoldedIndexRef) {
    this.#sections = sections;
    this.#ref = ref;
    this.docCount = ref.docCount;
    this.sumDocFreq = ref.sumDocFreq;
  }

  get terms(): TermDictionary {
    this.#terms ??= openTerms(this.#sections, this.#ref.terms);
    return this.#terms;
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
