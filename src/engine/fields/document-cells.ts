// Maps documents to their values in a column of any table: the values of the document's own row, or
// those of all its elements. The elements of a document are consecutive rows, so their values are
// consecutive, too.
import type { Table } from '../sections/segment.ts';

/**
 * The cells of a document in a column: `first(row)` to `end(row)`, exclusive. In a column with one
 * cell per row a cell may be empty.
 */
export interface Cells {
  first(row: number): number;
  end(row: number): number;
}

/**
 * @param start of the column, as in NumberIndex and ValueIndex
 * @returns null if each document has exactly the one cell of its row
 */
export function cellsOf({ firstRow }: Table, start: Uint32Array | null): Cells | null {
  if (firstRow === null) return elementCellsOf(start);
  if (start === null) return { first: (row) => firstRow[row]!, end: (row) => firstRow[row + 1]! };
  return {
    first: (row) => start[firstRow[row]!]!,
    end: (row) => start[firstRow[row + 1]!]!,
  };
}

/** The cells of each row of a table, also of an element; null if each row has exactly one. */
export function elementCellsOf(start: Uint32Array | null): Cells | null {
  return start === null ? null : { first: (row) => start[row]!, end: (row) => start[row + 1]! };
}
