// The layout of a column's values by row. Most fields of a dynamic mapping are in few rows, so a
// column with values in less than an eighth of the rows lists those rows and is expanded on first
// use. Values are grouped by row unless each row has exactly one slot.

import type { SectionReader, SectionWriter } from './codec.ts';
import { IntList } from './growable.ts';
import type { SectionRef } from './section-ref.ts';

export interface RowLayoutRef {
  readonly rowCount: number;
  /** The number of rows with a value. */
  readonly docCount: number;
  /** Sparse columns: the rows with a value. */
  readonly rows: SectionRef | null;
  /**
   * Columns with several values per row: the offset of each row's values (of each listed row's, if
   * sparse), and the end.
   */
  readonly start: SectionRef | null;
}

/** The layout of a column, given the rows of its values in ascending order. */
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

/** True if the stored values have one slot per row. */
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

  /** The offsets as stored: by listed row if sparse. */
  get start(): Uint32Array | null {
    if (this.#ref.start !== null) this.#start ??= this.#sections.uint32(this.#ref.start);
    return this.#start;
  }

  /** The offset of each row's values, and the end; null if no row has more than one value. */
  get startByRow(): Uint32Array | null {
    if (this.#startByRow === null) {
      const { rows, start } = this;
      if (rows === null || start === null) return start;
      this.#startByRow = spreadStart(rows, start, this.rowCount);
    }
    return this.#startByRow;
  }

  /**
   * Returns the values in the layout of the reader interface: as stored, or each at its row in
   * `missing`.
   */
  spread<Values extends Float64Array | Int32Array | Uint8Array>(
    stored: Values,
    missing: Values,
  ): Values {
    const { rows } = this;
    if (rows === null || this.#ref.start !== null) return stored;
    for (let i = 0; i < stored.length; i++) missing[rows[i]!] = stored[i]!;
    return missing;
  }

  /** The length of the array that `spread` fills; 0 if it returns the stored values. */
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
