// Merges the postings of one term of several segments in the order of their new rows. Rows of one
// part remain ascending, so this is a merge of a few sorted runs.

import { NO_MORE_DOCS, type Postings } from '../sections/segment.ts';
import type { PostingsWriter } from './postings-writer.ts';
import type { RowMap } from './row-map.ts';

/** Moves to the next row that remains and returns its new number, or NO_MORE_DOCS. */
function nextMapped(postings: Postings, newRow: Int32Array): number {
  for (let row = postings.nextDoc(); row !== NO_MORE_DOCS; row = postings.nextDoc()) {
    const mapped = newRow[row]!;
    if (mapped >= 0) return mapped;
  }
  return NO_MORE_DOCS;
}

/**
 * Writes the rows of one term at a time from several parts. Created once per merge and used for
 * each term.
 */
export class PostingsMerge {
  readonly #writer: PostingsWriter;
  readonly #withPositions: boolean;
  readonly #newRow: readonly Int32Array[];
  /** The parts with remaining rows of the term: the first `count` entries, in no order. */
  readonly #postings: Postings[] = [];
  readonly #parts: Int32Array;
  /** The current new row of each part. */
  readonly #rows: Int32Array;
  #count = 0;
  readonly #touched: Uint8Array;
  /** Occurrences written so far, over all terms. */
  totalFreq = 0;
  /** Rows with any of the terms so far. */
  docCount = 0;

  constructor(writer: PostingsWriter, form: 'positions' | 'rows', { newRow, rowCount }: RowMap) {
    this.#writer = writer;
    this.#withPositions = form === 'positions';
    this.#newRow = newRow;
    this.#parts = new Int32Array(newRow.length);
    this.#rows = new Int32Array(newRow.length);
    this.#touched = new Uint8Array(rowCount);
  }

  /** Adds one part's postings of the current term. */
  add(part: number, postings: Postings): void {
    const row = nextMapped(postings, this.#newRow[part]!);
    if (row === NO_MORE_DOCS) return;
    const at = this.#count++;
    this.#parts[at] = part;
    this.#postings[at] = postings;
    this.#rows[at] = row;
  }

  /** Ends the current term; false if none of its rows remain, and then nothing is written. */
  endTerm(): boolean {
    if (this.#count === 0) return false;
    const rows = this.#rows;
    while (this.#count > 0) {
      let least = 0;
      let next = NO_MORE_DOCS;
      for (let i = 1; i < this.#count; i++) {
        const row = rows[i]!;
        if (row < rows[least]!) {
          next = rows[least]!;
          least = i;
        } else if (row < next) {
          next = row;
        }
      }
      this.#drain(least, next);
    }
    this.#writer.endTerm();
    return true;
  }

  /** Writes the rows of one part before `end`; removes the part if it is exhausted. */
  #drain(at: number, end: number): void {
    const postings = this.#postings[at]!;
    const newRow = this.#newRow[this.#parts[at]!]!;
    let row = this.#rows[at]!;
    do {
      this.#write(row, postings);
      row = nextMapped(postings, newRow);
    } while (row < end);
    this.#rows[at] = row;
    if (row !== NO_MORE_DOCS) return;
    const last = --this.#count;
    this.#rows[at] = this.#rows[last]!;
    this.#parts[at] = this.#parts[last]!;
    this.#postings[at] = this.#postings[last]!;
  }

  #write(row: number, postings: Postings): void {
    this.#writer.doc(row);
    if (this.#touched[row] === 0) {
      this.#touched[row] = 1;
      this.docCount += 1;
    }
    if (!this.#withPositions) {
      this.totalFreq += 1;
      return;
    }
    const freq = postings.freq();
    for (let left = freq; left > 0; left--) this.#writer.position(postings.nextPosition());
    this.totalFreq += freq;
  }
}
