// Writes CSV for spreadsheets (RFC 4180). Documents are untrusted, so a text that a spreadsheet
// would run as a formula gets an apostrophe in front; numbers stay numbers.
import type { Document } from '../api/wire.ts';
import { valuesAt } from '../search/document-value.ts';

/** Marks the file as UTF-8 for spreadsheets. */
export const BYTE_ORDER_MARK = '\uFEFF';
const FORMULA = /^[=+\-@\t\r]/;

/** The header line. */
export function csvHead(columns: readonly string[]): string {
  return line(columns.map(cellOf));
}

/** The line of a document. Several values of one column share a cell. */
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
