// What an immutable segment looks like to those who search it. The writer (segment-writer.ts), the codec and the
// merge produce it; the scorers only read it. Everything is a view over shared bytes, nothing is parsed on opening.
// Invariant: rows of the root table stand in ascending id order (UTF-8 byte order), rows of a nested table in the
// order of their parents, so a document's row number is also its rank.

/** What an exhausted iterator answers; greater than any row. */
export const NO_MORE_DOCS = 0x7fffffff;

/** A cursor over ascending row numbers. Before the first `nextDoc` or `advance`, `docId()` is -1. */
export interface DocIterator {
  docId(): number;
  /** The next row, or NO_MORE_DOCS. */
  nextDoc(): number;
  /** The first row at or after `target`, which must be beyond the current one; or NO_MORE_DOCS. */
  advance(target: number): number;
  /** An upper bound of how many rows it has. */
  readonly cost: number;
}

/** A cursor over candidates, of which `matches` decides (Lucene's TwoPhaseIterator). */
export interface TwoPhaseIterator extends DocIterator {
  /** True when the current candidate is a match. */
  matches(): boolean;
}

/** A cursor over the rows that hold a term. */
export interface Postings extends DocIterator {
  /** How often the term stands in the current row; 1 where frequencies are not kept. */
  freq(): number;
  /** The next position in the current row; call at most `freq()` times. Ascending. Values of one field are 100 positions apart (POSITION_GAP). */
  nextPosition(): number;
  /**
   * Takes the current row and those behind it that are before `end`, as many as it likes and there is room for; it
   * then stands on the first that it did not take. Answers how many: 0 where it stands at `end` or behind.
   */
  take(end: number, rows: Int32Array, freqs: Int32Array): number;
}

/** Gap between two values of one field, so that no phrase spans them. */
export const POSITION_GAP = 100;

/** Sorted distinct terms; ordinals follow UTF-8 byte (= code point) order. */
export interface TermDictionary {
  readonly size: number;
  /** The term at an ordinal. */
  term(ord: number): string;
  /** The ordinal of a term, or -1. */
  find(term: string): number;
  /** The first ordinal whose term is >= `term`; `size` when there is none. */
  ceiling(term: string): number;
  /** The first ordinal after `from` whose term does not start with `prefix` (`from` itself must start with it). */
  prefixEnd(prefix: string, from: number): number;
  /** All terms' UTF-8 bytes, one behind the other; term `ord` is bytes[offsets[ord], offsets[ord + 1]). */
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/** Inverted index of the analysed words of a text field. */
export interface WordIndex {
  readonly terms: TermDictionary;
  docFreq(ord: number): number;
  postings(ord: number): Postings;
  /** Per row, Lucene's one-byte length (SmallFloat.intToByte4 of the number of tokens); 0 where the row has no token. */
  readonly norms: Uint8Array;
  /** Rows that have at least one token. */
  readonly docCount: number;
  /** Tokens over all rows. */
  readonly sumTotalTermFreq: number;
}

/** Whole values of a string field: postings by value, doc values by row. Every text and keyword leaf has one. */
export interface ValueIndex {
  /** The values as they came. */
  readonly exact: TermDictionary;
  /** The values lower-cased. */
  readonly folded: TermDictionary;
  /** Exact ordinals behind a folded one: foldedToExact[foldedStart[f], foldedStart[f + 1]). */
  readonly foldedStart: Uint32Array;
  readonly foldedToExact: Uint32Array;
  /** Rows holding an exact value. */
  docFreq(exactOrd: number): number;
  postings(exactOrd: number): Postings;
  /** Doc values: the exact ordinals of a row, ascending and distinct, are ords[ordStart[row], ordStart[row + 1]). Where no row has more than one value `ordStart` is null and ords[row] is the ordinal or -1. */
  readonly ords: Int32Array;
  readonly ordStart: Uint32Array | null;
  /** Rows with at least one value. */
  readonly docCount: number;
  /** Row and value pairs over all rows. */
  readonly sumDocFreq: number;
  /** The same with folded values. */
  readonly foldedSumDocFreq: number;
}

/** A numeric column: doc values by row and the same pairs sorted by value for ranges. */
export interface NumberIndex {
  /** Values of a row, ascending: values[start[row], start[row + 1]). Where no row has more than one `start` is null and values[row] is the number or NaN. */
  readonly values: Float64Array;
  readonly start: Uint32Array | null;
  /** All pairs by ascending value, then row. */
  readonly sortedValues: Float64Array;
  readonly sortedRows: Int32Array;
  readonly docCount: number;
}

/** The catch-all of a segment's root table: what a word without a field is looked up in, nested leaves included. */
export interface CatchAll {
  readonly words: WordIndex;
  /** Folded whole values of keyword leaves; no positions, no norms, frequencies 1. */
  readonly folded: {
    readonly terms: TermDictionary;
    docFreq(ord: number): number;
    postings(ord: number): Postings;
    readonly docCount: number;
    readonly sumDocFreq: number;
  };
  /** Values of long leaves, without doc values. */
  readonly longs: { readonly sortedValues: Float64Array; readonly sortedRows: Int32Array };
}

/** The rows at one level: the root documents, or the elements below one nested path. Field names are absolute. */
export interface Table {
  /** null for the root. */
  readonly path: string | null;
  readonly rowCount: number;
  /** Nested tables: the root row of each row, ascending. */
  readonly parent: Int32Array | null;
  /** Nested tables: the first row of each root row, with one more entry at the end. */
  readonly firstRow: Int32Array | null;
  words(field: string): WordIndex | undefined;
  values(field: string): ValueIndex | undefined;
  /** `value`, `date` or `number`. */
  numbers(field: string, column: 'value' | 'date' | 'number'): NumberIndex | undefined;
  /** Frees what reading a field has made; it is made again when asked for. */
  forget?(field: string): void;
}

/** The raw sources of a segment. Bytes are valid until the segment is closed. */
export interface StoredFields {
  /** The document as a JSON object without its nested members. */
  root(row: number): Uint8Array;
  /** The nested members as `"name":[…],"name":[…]`, or empty. */
  nested(row: number): Uint8Array;
  /** How many bytes the two parts have together; does not read them. */
  byteLength(row: number): number;
  /** What the checksum of a part must be; 0 for an empty one. */
  checksum(row: number, part: 'root' | 'nested'): number;
}

/** One immutable slice of an index. */
export interface Segment {
  readonly name: string;
  readonly docCount: number;
  /** The id of each row: an id's ordinal is its row. */
  readonly ids: TermDictionary;
  readonly root: Table;
  readonly nested: ReadonlyMap<string, Table>;
  readonly catchAll: CatchAll;
  readonly sources: StoredFields;
  /** The document's version (the store's change sequence number) by row. */
  readonly versions: Float64Array;
  /** Bytes of the index file, which is the most of it that can be in memory. */
  readonly sizeInBytes: number;
}

/** A segment as a searcher sees it at one point in time. */
export interface SegmentView {
  readonly segment: Segment;
  /** Bit set, one bit a root row, 1 = live; null when all are. Never changed in place. */
  readonly liveDocs: Uint32Array | null;
  readonly liveCount: number;
}

/** A document on its way into a segment. */
export interface SourceDocument {
  readonly id: string;
  readonly version: number;
  /** UTF-8 JSON object without nested members. */
  readonly root: Uint8Array;
  /** UTF-8 `"name":[…],…` of the nested members, or empty. */
  readonly nested: Uint8Array;
}
