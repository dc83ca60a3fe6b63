// Writes CSV for spreadsheets: a row for each document, with the rules of query/csv-row.ts.
import { csvRow } from '../../src/query/csv-row.ts';
import { valuesAt } from './document-value.ts';
import type { Document } from './wire.ts';

/** Marks the file as UTF-8 for spreadsheets. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** The header line. */
export function csvHead(heads: readonly string[]): string {
  return csvRow(heads);
}

/** The line of a document. Several values of one column share a cell. */
export function csvLine(document: Document, columns: readonly string[]): string {
  return csvRow(
    columns.map((column) => {
      const values = valuesAt(document, column);
      return values.length === 1 ? values[0] : values;
    }),
  );
}
