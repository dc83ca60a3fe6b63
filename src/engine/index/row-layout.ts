// How a column's values stand by row. Most fields of a dynamic map are in few rows, so a column that has values in
// less than an eighth of the rows lists those rows; it is spread out when a query first asks for it.
// Values are grouped (all of the first row that has any, then the next) unless each row has its own place.

import { IntList } from '../fields/growable.ts';
import type { SectionReader, SectionWriter } from './codec.ts';
import type { SectionRef } from './section-ref.ts';

export interface RowLayoutRef {
  readonly rowCount: number;
  /** Rows with a value. */
  readonly docCount: number;
  /** Sparse columns: those rows. */
  readonly rows: SectionRef | null;
  /** Where several values stand in a row: where each row's begin (each listed row's, when sparse), and one more. */
  readonly start: SectionRef | null;
}

/** What the rows of a column's values, ascending, make necessary. */
export interface RowLayout {
  readonly rowCount: number;
  readonly docCount: number;
  readonly rows: Int32Array | null;
  readonly start: Uint32Array | null;
}

const SPARSE_SHARE = 8;

export function layOutRows(rows: IntList, rowCount: number): RowLayout {
  const distinct = new IntList();
  const first = new IntList();
  for (let i = 0; i < rows.length; i++) {
    const row = rows.data[i]!;
    if (distinct.length > 0 && distinct.data[distinct.length - 1] === row) continue;
    distinct.push(row);
    first.push(i);
  }
  first.push(rows.length);
  const docCount = distinct.length;
  const single = docCount === rows.length;
  if (docCount * SPARSE_SHARE < rowCount) {
    const start = single ? null : Uint32Array.from(first.toArray());
    return { rowCount, docCount, rows: distinct.toArray(), start };
  }
  const start = single ? null : spreadStart(distinct.toArray(), first.toArray(), rowCount);
  return { rowCount, docCount, rows: null, start };
}

export function writeRowLayout(
  sections: SectionWriter,
  { rowCount, docCount, rows, start }: RowLayout,
): RowLayoutRef {
  return {
    rowCount,
    docCount,
    rows: rows === null ? null : sections.add(rows),
    start: start === null ? null : sections.add(start),
  };
}

/** Whether each row has a place of its own among the values that are stored. */
export function isByRow({ rows, start }: RowLayout): boolean {
  return rows === null && start === null;
}

/** The layout of a stored column. */
export class StoredRowLayout {
  readonly rowCount: number;
  readonly docCount: number;
  readonly #sections: SectionReader;
  readonly #ref: RowLayoutRef;
  #rows: Int32Array | null = null;
  #start: Uint32Array | null = null;
  #startByRow: Uint32Array | null = null;

  constructor(sections: SectionReader, ref: RowLayoutRef) {
    this.rowCount = ref.rowCount;
    this.docCount = ref.docCount;
    this.#sections = sections;
    this.#ref = ref;
  }

  get rows(): Int32Array | null {
    if (this.#ref.rows !== null) this.#rows ??= this.#sections.int32(this.#ref.rows);
    return this.#rows;
  }

  /** As stored: by listed row when sparse. */
  get start(): Uint32Array | null {
    if (this.#ref.start !== null) this.#start ??= this.#sections.uint32(this.#ref.start);
    return this.#start;
  }

  /** Where each row's values begin, and one more; null when no row has more than one. */
  get startByRow(): Uint32Array | null {
    if (this.#startByRow === null) {
      const { rows, start } = this;
      if (rows === null || start === null) return start;
      this.#startByRow = spreadStart(rows, start, this.rowCount);
    }
    return this.#startByRow;
  }

  /** The values as the reader's interface has them: as stored, or each at its row among `missing`. */
  spread<Values extends Float64Array | Int32Array | Uint8Array>(
    stored: Values,
    missing: Values,
  ): Values {
    const { rows } = this;
    if (rows === null || this.#ref.start !== null) return stored;
    for (let i = 0; i < stored.length; i++) missing[rows[i]!] = stored[i]!;
    return missing;
  }

  /** How many values `spread` needs room for; 0 when it hands on what is stored. */
  get spreadLength(): number {
    return this.#ref.rows === null || this.#ref.start !== null ? 0 : this.rowCount;
  }
}

function spreadStart(
  rows: Int32Array,
  first: Int32Array | Uint32Array,
  rowCount: number,
): Uint32Array {
  const start = new Uint32Array(rowCount + 1);
  let row = 0;
  for (let i = 0; i < rows.length; i++) while (row <= rows[i]!) start[row++] = first[i]!;
  start.fill(first[rows.length]!, row);
  return start;
}
