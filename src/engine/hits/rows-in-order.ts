// The rows of a table in sort order that match and whose documents are live. They are found one after the other
// or, once the others are left out, by number.

import { hasBit } from '../rows/bit-set.ts';
import { STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { isLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView, type Table } from '../sections/segment.ts';
import { PENDING } from './segment-hits.ts';

/** The matching rows of a table of a segment: documents, or elements of theirs. */
export interface TableRows {
  readonly view: SegmentView;
  readonly table: Table;
  /** Rows of the table, those of deleted documents included; null for all. */
  readonly matching: Uint32Array | null;
}

export class RowsInOrder {
  readonly #rows: TableRows;
  #order: Int32Array | null;
  #length: number;
  /** False once all rows in the order are hits. */
  #hasOthers: boolean;
  #at = 0;

  /** @param order all rows of the table in sort order; null: as they are */
  constructor(rows: TableRows, order: Int32Array | null) {
    this.#rows = rows;
    this.#order = order;
    this.#length = rows.table.rowCount;
    this.#hasOthers = rows.matching !== null || rows.view.liveDocs !== null;
  }

  /** The number of rows from the next one on; of hits, after `leaveOutOthers`. */
  get left(): number {
    return this.#length - this.#at;
  }

  /** The number of rows that `leaveOutOthers` looks at. */
  get unknown(): number {
    return this.#hasOthers ? this.left : 0;
  }

  /** The row at a place from the next one on: 0 is the next. */
  look(ahead: number): number {
    const at = this.#at + ahead;
    return this.#order === null ? at : this.#order[at]!;
  }

  pass(count: number): void {
    this.#at += count;
  }

  /** Moves behind the next hit and returns it; NO_MORE_DOCS at the end, PENDING after many steps. */
  next(): number {
    const stop = Math.min(this.#at + STEPS_PER_YIELD, this.#length);
    while (this.#at < stop) {
      const row = this.look(0);
      this.#at += 1;
      if (!this.#hasOthers || this.#isHit(row)) return row;
    }
    return stop < this.#length ? PENDING : NO_MORE_DOCS;
  }

  /** Leaves out the rows that are no hits. */
  *leaveOutOthers(): Generator<void> {
    if (!this.#hasOthers) return;
    const hits = new Int32Array(this.left);
    let count = 0;
    for (let ahead = 0; ahead < hits.length; ahead++) {
      const row = this.look(ahead);
      if (this.#isHit(row)) /* path: match kept */ hits[count++] = row;
      if (ahead % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    }
    this.#order = hits;
    this.#length = count;
    this.#at = 0;
    this.#hasOthers = false;
  }

  #isHit(row: number): boolean {
    const { view, table, matching } = this.#rows;
    if (matching !== null && !hasBit(matching, row)) /* path: no match */ return false;
    return isLive(view, table.parent === null ? row : table.parent[row]!);
  }
}
