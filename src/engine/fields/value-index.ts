// Whole values of a string field: a dictionary of exact values, one of folded values with the
// mapping between them, the ordinals of each row (doc values) and the rows of each ordinal
// (postings). Building and merging both end in `writeValueIndex`, which derives the postings from
// the doc values.

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
import type { Postings, TermDictionary, ValueIndex } from '../sections/segment.ts';
import {
  type InversionScratch,
  type PostingsRef,
  StoredPostings,
  type StringColumn,
  termsOf,
  writePostings,
} from './inversion.ts';
import { type OrdinalsRef, readOrdinals, writeOrdinals } from './ordinals.ts';
import { PostingsWriter } from './postings-writer.ts';
import type { SortedStrings } from './string-pool.ts';
import {
  type DictionaryRef,
  openTerms,
  sizeOfTerms,
  type Terms,
  writeTerms,
} from './term-dictionary.ts';

export interface ValueIndexRef {
  readonly exact: DictionaryRef;
  /** null: each value is its own folded form. */
  readonly folded: {
    readonly terms: DictionaryRef;
    readonly start: SectionRef;
    readonly toExact: SectionRef;
    readonly sumDocFreq: number;
  } | null;
  readonly postings: PostingsRef;
  readonly layout: RowLayoutRef;
  readonly ords: OrdinalsRef;
  readonly sumDocFreq: number;
}

/** The input of `writeValueIndex`. */
export interface ValueIndexParts {
  readonly rowCount: number;
  readonly exact: Terms;
  readonly folded: Terms;
  /** By exact ordinal. */
  readonly exactToFolded: Int32Array;
  /** Pairs of row and exact ordinal, ascending and distinct. */
  readonly rows: IntList;
  readonly ords: IntList;
}

/** @returns null if there is no value */
export function invertValues(
  sections: SectionWriter,
  strings: SortedStrings,
  column: StringColumn,
  rowCount: number,
  scratch: InversionScratch,
): ValueIndexRef | null {
  const length = column.rows.length;
  if (length === 0) return null;
  const { counts, touched } = scratch;
  for (let i = 0; i < length; i++) {
    const rank = strings.rankOf[column.strings.data[i]!]!;
    if (counts[rank]!++ === 0) touched.push(rank);
  }
  const ranks = scratch.sortedTouched();
  for (let ord = 0; ord < ranks.length; ord++) counts[ranks[ord]!] = ord;
  const rows = new IntList();
  const ords = new IntList();
  for (let i = 0; i < length; ) {
    const row = column.rows.data[i]!;
    const first = ords.length;
    for (; i < length && column.rows.data[i] === row; i++) {
      addDistinct(ords, first, counts[strings.rankOf[column.strings.data[i]!]!]!);
    }
    while (rows.length < ords.length) rows.push(row);
  }
  scratch.reset(ranks);
  const exact = termsOf(strings, ranks);
  const { terms: folded, map: exactToFolded } = fold(strings, ranks, exact, scratch);
  return writeValueIndex(sections, { rowCount, exact, folded, exactToFolded, rows, ords });
}

/** Inserts a number into the ascending run list[first, length) unless the run has it. */
export function addDistinct(list: IntList, first: number, value: number): void {
  let at = list.length;
  while (at > first && list.data[at - 1]! > value) at -= 1;
  if (at > first && list.data[at - 1] === value) return;
  list.push(value);
  if (at === list.length - 1) return;
  list.data.copyWithin(at + 1, at, list.length - 1);
  list.data[at] = value;
}

/**
 * Returns the folded terms and the map from exact to folded ordinals.
 * @param exact the terms of `ranks`
 */
function fold(
  strings: SortedStrings,
  ranks: Int32Array,
  exact: Terms,
  scratch: InversionScratch,
): { readonly terms: Terms; readonly map: Int32Array } {
  if (ranks.every((rank) => strings.foldedRankOf[rank] === rank)) {
    return { terms: exact, map: Int32Array.from(ranks, (_, ord) => ord) };
  }
  const { counts, touched } = scratch;
  for (const rank of ranks) {
    const folded = strings.foldedRankOf[rank]!;
    if (counts[folded]!++ === 0) touched.push(folded);
  }
  const foldedRanks = scratch.sortedTouched();
  for (let ord = 0; ord < foldedRanks.length; ord++) counts[foldedRanks[ord]!] = ord;
  const map = new Int32Array(ranks.length);
  for (let ord = 0; ord < ranks.length; ord++) {
    map[ord] = counts[strings.foldedRankOf[ranks[ord]!]!]!;
  }
  scratch.reset(foldedRanks);
  return { terms: termsOf(strings, foldedRanks), map };
}

export function writeValueIndex(sections: SectionWriter, parts: ValueIndexParts): ValueIndexRef {
  const exact = writeTerms(sections, parts.exact);
  const folded = isFoldedIdentical(parts) ? null : writeFolded(sections, parts);
  if (folded === null) sections.needIdentity(parts.exactToFolded.length + 1);
  const postings = writePostings(sections, postingsOf(parts));
  return { exact, folded, postings, ...writeOrds(sections, parts), sumDocFreq: parts.ords.length };
}

/** True if each exact value has the same ordinal in the folded dictionary, unchanged. */
function isFoldedIdentical({ exact, folded, exactToFolded }: ValueIndexParts): boolean {
  if (exact === folded) return true;
  if (exact.bytes.length !== folded.bytes.length) return false;
  if (exact.offsets.length !== folded.offsets.length) return false;
  for (let ord = 0; ord < exactToFolded.length; ord++) {
    if (exactToFolded[ord] !== ord || exact.offsets[ord] !== folded.offsets[ord]) return false;
  }
  for (let at = 0; at < exact.bytes.length; at++) {
    if (exact.bytes[at] !== folded.bytes[at]) return false;
  }
  return true;
}

function writeFolded(
  sections: SectionWriter,
  { folded, exactToFolded, rows, ords }: ValueIndexParts,
): NonNullable<ValueIndexRef['folded']> {
  const start = new Uint32Array(folded.offsets.length);
  for (const ord of exactToFolded) start[ord + 1]! += 1;
  for (let ord = 1; ord < start.length; ord++) start[ord]! += start[ord - 1]!;
  const next = start.slice();
  const toExact = new Uint32Array(exactToFolded.length);
  for (let ord = 0; ord < exactToFolded.length; ord++) {
    toExact[next[exactToFolded[ord]!]!++] = ord;
  }
  return {
    terms: writeTerms(sections, folded),
    start: sections.add(start),
    toExact: sections.add(toExact),
    sumDocFreq: distinctPairs(rows, ords, exactToFolded),
  };
}

/** Counts the pairs of row and folded value: two spellings of one value in a row are one pair. */
function distinctPairs(rows: IntList, ords: IntList, exactToFolded: Int32Array): number {
  const foldedOrds = new IntList();
  let pairs = 0;
  for (let i = 0; i < rows.length; ) {
    const row = rows.data[i]!;
    foldedOrds.length = 0;
    for (; i < rows.length && rows.data[i] === row; i++) {
      addDistinct(foldedOrds, 0, exactToFolded[ords.data[i]!]!);
    }
    pairs += foldedOrds.length;
  }
  return pairs;
}

function postingsOf({ exact, rows, ords }: ValueIndexParts): PostingsWriter {
  const size = exact.offsets.length - 1;
  const ends = new Int32Array(size + 1);
  for (let i = 0; i < ords.length; i++) ends[ords.data[i]! + 1]! += 1;
  for (let ord = 1; ord <= size; ord++) ends[ord]! += ends[ord - 1]!;
  const byOrd = new Int32Array(ords.length);
  for (let i = 0; i < ords.length; i++) byOrd[ends[ords.data[i]!]!++] = rows.data[i]!;
  const writer = new PostingsWriter(size, null);
  let at = 0;
  for (let ord = 0; ord < size; ord++) {
    for (const end = ends[ord]!; at < end; at++) writer.doc(byOrd[at]!);
    writer.endTerm();
  }
  return writer;
}

function writeOrds(
  sections: SectionWriter,
  { rowCount, exact, rows, ords }: ValueIndexParts,
): Pick<ValueIndexRef, 'ords' | 'layout'> {
  const size = exact.offsets.length - 1;
  const rowLayout = layOutRows(rows, rowCount);
  const layout = writeRowLayout(sections, rowLayout);
  if (!isByRow(rowLayout)) return { layout, ords: writeOrdinals(sections, ords.toArray(), size) };
  const byRow = new Int32Array(rowCount).fill(-1);
  for (let i = 0; i < rows.length; i++) byRow[rows.data[i]!] = ords.data[i]!;
  return { layout, ords: writeOrdinals(sections, byRow, size) };
}

export function openValueIndex(sections: SectionReader, ref: ValueIndexRef): ValueIndex {
  return new StoredValueIndex(sections, ref);
}

/** Reads each part on first use: few queries need all of them. */
class StoredValueIndex implements ValueIndex {
  readonly docCount: number;
  readonly sumDocFreq: number;
  readonly foldedSumDocFreq: number;
  readonly #sections: SectionReader;
  readonly #ref: ValueIndexRef;
  readonly #layout: StoredRowLayout;
  #exact: TermDictionary | null = null;
  #folded: TermDictionary | null = null;
  #foldedStart: Uint32Array | null = null;
  #foldedToExact: Uint32Array | null = null;
  #exactToFolded: Uint32Array | null = null;
  #ords: Int32Array | null = null;
  #postings: StoredPostings | null = null;

  constructor(sections: SectionReader, ref: ValueIndexRef) {
    this.#sections = sections;
    this.#ref = ref;
    this.#layout = new StoredRowLayout(sections, ref.layout);
    this.docCount = ref.layout.docCount;
    this.sumDocFreq = ref.sumDocFreq;
    this.foldedSumDocFreq = ref.folded?.sumDocFreq ?? ref.sumDocFreq;
  }

  get exact(): TermDictionary {
    this.#exact ??= openTerms(this.#sections, this.#ref.exact);
    return this.#exact;
  }

  get folded(): TermDictionary {
    const { folded } = this.#ref;
    if (folded === null) return this.exact;
    this.#folded ??= openTerms(this.#sections, folded.terms);
    return this.#folded;
  }

  get foldedStart(): Uint32Array {
    const { folded, exact } = this.#ref;
    this.#foldedStart ??=
      folded === null
        ? this.#sections.identity(sizeOfTerms(exact) + 1)
        : this.#sections.uint32(folded.start);
    return this.#foldedStart;
  }

  get foldedToExact(): Uint32Array {
    const { folded, exact } = this.#ref;
    this.#foldedToExact ??=
      folded === null
        ? this.#sections.identity(sizeOfTerms(exact))
        : this.#sections.uint32(folded.toExact);
    return this.#foldedToExact;
  }

  get exactToFolded(): Uint32Array {
    if (this.#exactToFolded === null) {
      const { foldedStart, foldedToExact } = this;
      const map = new Uint32Array(foldedToExact.length);
      for (let folded = 0; folded + 1 < foldedStart.length; folded++) {
        for (let at = foldedStart[folded]!; at < foldedStart[folded + 1]!; at++) {
          map[foldedToExact[at]!] = folded;
        }
      }
      this.#exactToFolded = map;
    }
    return this.#exactToFolded;
  }

  get ords(): Int32Array {
    if (this.#ords === null) {
      const missing = new Int32Array(this.#layout.spreadLength).fill(-1);
      this.#ords = this.#layout.spread(readOrdinals(this.#sections, this.#ref.ords), missing);
    }
    return this.#ords;
  }

  get ordStart(): Uint32Array | null {
    return this.#layout.startByRow;
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
