// Where the values of a document are found in a column of any table: its own row, or the rows of all its elements. The rows
// of its elements follow each other, and so do the values of these rows.
import type { Table } from '../index/segment.ts';

/** The cells of a document in a column: `first(row)` to `end(row)`, exclusive. Where a row has one cell it may be empty. */
export interface Cells {
  first(row: number): number;
  end(row: number): number;
}

/**
 * @param start of the column, as NumberIndex and ValueIndex have it
 * @returns null where each document has the one cell of its row
 */
export function cellsOf({ firstRow }: Table, start: Uint32Array | null): Cells | null {
  if (firstRow === null) {
    if (start === null) return null;
    return { first: (row) => start[row]!, end: (row) => start[row + 1]! };
  }
  if (start === null) return { first: (row) => firstRow[row]!, end: (row) => firstRow[row + 1]! };
  return {
    first: (row) => start[firstRow[row]!]!,
    end: (row) => start[firstRow[row + 1]!]!,
  };
}
