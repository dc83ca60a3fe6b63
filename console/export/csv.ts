// Lines of a CSV file that a spreadsheet opens (RFC 4180). A text that such a program would take for a formula is
// given an apostrophe, since the values are those of strangers; numbers stay numbers.
import type { Document } from '../api/wire.ts';
import { valuesAt } from '../search/document-value.ts';

/** Lets spreadsheets see that the file is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';
const FORMULA = /^[=+\-@\t\r]/;

/** The names of the columns. */
export function csvHead(columns: readonly string[]): string {
  return line(columns.map(cellOf));
}

/** A document's values in the columns, several of one column side by side. */
export function csvLine(document: Document, columns: readonly string[]): string {
  return line(
    columns.map((column) => {
      const values = valuesAt(document, column);
      return values.length === 1 ? cellOf(values[0]) : cellOf(values.map(plain).join('; '));
    }),
  );
}

function cellOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = plain(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n\t;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function line(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}
