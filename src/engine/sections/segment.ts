// The read interface of an immutable segment. The writer (segment-writer.ts), the codec and the
// merge produce it; scorers read it. All structures are views over shared bytes, and opening parses
// nothing.
// Invariant: rows of the root table are in ascending id order (UTF-8 byte order), rows of a nested
// table in the order of their parents, so a document's row number is also its rank.
import type { Impacts, Similarity } from './impacts.ts';

/** The value of an exhausted iterator; greater than any row. */
export const NO_MORE_DOCS = 0x7fffffff;

/**
 * A cursor over ascending row numbers. Before the first `nextDoc` or `advance`, `docId()` is -1.
 */
export interface DocIterator {
  docId(): number;
  /** Moves to the next row and returns it, or NO_MORE_DOCS. */
  nextDoc(): number;
  /**
   * Moves to the first row at or after `target`, which must be greater than the current row, and
   * returns it, or NO_MORE_DOCS.
   */
  advance(target: number): number;
  /** An upper bound of the number of rows. */
  readonly cost: number;
}

/** A cursor over candidates that `matches` confirms (Lucene's TwoPhaseIterator). */
export interface TwoPhaseIterator extends DocIterator {
  /** True if the current candidate is a match. */
  matches(): boolean;
}

/** A cursor over the rows with a term. */
export interface Postings extends DocIterator {
  /** The number of occurrences in the current row; 1 if frequencies are not stored. */
  freq(): number;
  /**
   * Returns the next position in the current row, ascending; call it at most `freq()` times. Values
   * of one field are 100 positions apart (POSITION_GAP).
   */
  nextPosition(): number;
  /**
   * Copies the current row and following rows before `end`, as many as are convenient and fit, and
   * moves to the first row that was not copied. Returns their number: 0 if the current row is `end`
   * or later.
   */
  take(end: number, rows: Int32Array, freqs: Int32Array): number;
  /**
   * Sets the bits of following rows, some thousands at a time; true if there are more. Nothing else
   * may be called afterwards.
   */
  addTo(bits: Uint32Array): boolean;
  /**
   * Returns pairs of frequency and norm byte that bound the scores of all rows. Only of words, and
   * before the first move.
   * @param norms of the field, by row
   */
  impacts(norms: Uint8Array): Impacts;
  /**
   * From now on, moves skip blocks in which no row scores more than `minScore`, which never
   * decreases. Only of words.
   */
  skipBelow(similarity: Similarity, minScore: number): void;
}

/** Gap between two values of one field, so that no phrase spans them. */
export const POSITION_GAP = 100;

/** Sorted distinct terms; ordinals follow UTF-8 byte (= code point) order. */
export interface TermDictionary {
  readonly size: number;
  /** Returns the term with an ordinal. */
  term(ord: number): string;
  /** Returns the ordinal of a term, or -1. */
  find(term: string): number;
  /** Returns the first ordinal whose term is >= `term`; `size` if there is none. */
  ceiling(term: string): number;
  /**
   * Returns the first ordinal after `from` whose term does not start with `prefix`; the term at
   * `from` must start with it.
   */
  prefixEnd(prefix: string, from: number): number;
  /**
   * The concatenated UTF-8 bytes of all terms; term `ord` is bytes[offsets[ord], offsets[ord + 1]).
   */
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/** Inverted index of the analysed words of a text field. */
export interface WordIndex {
  readonly terms: TermDictionary;
  docFreq(ord: number): number;
  postings(ord: number): Postings;
  /**
   * By row: Lucene's one-byte length (SmallFloat.intToByte4 of the number of tokens); 0 if the row
   * has no tokens.
   */
  readonly norms: Uint8Array;
  /** The number of rows with at least one token. */
  readonly docCount: number;
  /** The number of tokens over all rows. */
  readonly sumTotalTermFreq: number;
}

/**
 * Whole values of a string field: postings by value, doc values by row. Each text and keyword leaf
 * has one.
 */
export interface ValueIndex {
  /** The original values. */
  readonly exact: TermDictionary;
  /** The lower-cased values. */
  readonly folded: TermDictionary;
  /** The exact ordinals of a folded one: foldedToExact[foldedStart[f], foldedStart[f + 1]). */
  readonly foldedStart: Uint32Array;
  readonly foldedToExact: Uint32Array;
  /** The folded ordinal of an exact one. */
  readonly exactToFolded: Uint32Array;
  /** The number of rows with an exact value. */
  docFreq(exactOrd: number): number;
  postings(exactOrd: number): Postings;
  /**
   * Doc values: the exact ordinals of a row, ascending and distinct, are ords[ordStart[row],
   * ordStart[row + 1]). If no row has more than one value, `ordStart` is null and ords[row] is the
   * ordinal or -1.
   */
  readonly ords: Int32Array;
  readonly ordStart: Uint32Array | null;
  /** The number of rows with at least one value. */
  readonly docCount: number;
  /** The number of pairs of row and value. */
  readonly sumDocFreq: number;
  /** The number of pairs of row and folded value. */
  readonly foldedSumDocFreq: number;
}

/** A numeric column: doc values by row, and the same pairs sorted by value for ranges. */
export interface NumberIndex {
  /**
   * The values of a row, ascending: values[start[row], start[row + 1]). If no row has more than one
   * value, `start` is null and values[row] is the number or NaN.
   */
  readonly values: Float64Array;
  readonly start: Uint32Array | null;
  /** All pairs by ascending value, then row. */
  readonly sortedValues: Float64Array;
  readonly sortedRows: Int32Array;
  readonly docCount: number;
}

/** The catch-all of a segment's root table, for words without a field; includes nested leaves. */
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

/**
 * The rows of one level: the root documents, or the elements of one nested path. Field names are
 * absolute.
 */
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
  /**
   * Frees the structures that reading a field has created; they are created again on the next read.
   */
  forget?(field: string): void;
}

/** A document as stored. */
export interface DocumentBytes {
  /** A JSON object without the nested members, then these as `"name":[…],"name":[…]`, or nothing. */
  readonly bytes: Uint8Array;
  /** Length of that JSON object. */
  readonly rootLength: number;
}

/** The stored sources of a segment. Bytes are valid until the segment is closed. */
export interface StoredFields {
  /** Returns a document, with or without its nested members, at one read. */
  document(row: number, withNested: boolean): DocumentBytes;
  /** Returns the document as a JSON object without its nested members. */
  root(row: number): Uint8Array;
  /** Returns the nested members as `"name":[…],"name":[…]`, or nothing. */
  nested(row: number): Uint8Array;
  /** Returns the total length of both parts in bytes, without reading them. */
  byteLength(row: number): number;
  /** Removes them from the cache that segments share; a search that still runs adds nothing. */
  uncache(): void;
}

/** One immutable part of an index. */
export interface Segment {
  readonly name: string;
  readonly docCount: number;
  /** The ids by row: the ordinal of an id is its row. */
  readonly ids: TermDictionary;
  readonly root: Table;
  readonly nested: ReadonlyMap<string, Table>;
  readonly catchAll: CatchAll;
  readonly sources: StoredFields;
  /** The version of each document (the store's change sequence number) by row. */
  readonly versions: Float64Array;
  /** The size of the index file, an upper bound of what it takes in memory. */
  readonly sizeInBytes: number;
  /**
   * Removes its documents and pages from the caches that segments share, as it is in no list any more. A
   * search that still runs in it reads them itself.
   */
  uncache(): void;
}

/** A segment as a searcher sees it at one point in time. */
export interface SegmentView {
  readonly segment: Segment;
  /** Bit set, one bit per root row, 1 = live; null if all rows are live. Immutable. */
  readonly liveDocs: Uint32Array | null;
  readonly liveCount: number;
  /** Some live rows count as deleted: see hits/visible-segments.ts. */
  readonly isConfined?: true;
}

/** A document to be written to a segment. */
export interface SourceDocument {
  readonly id: string;
  readonly version: number;
  /** UTF-8 JSON object without nested members. */
  readonly root: Uint8Array;
  /** UTF-8 `"name":[…],…` of the nested members, or empty. */
  readonly nested: Uint8Array;
}
