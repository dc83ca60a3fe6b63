// Writes rows as JSON, as newline-delimited JSON, or as CSV for spreadsheets (RFC 4180). Documents are
// untrusted, so a text that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP
// advises ("CSV Injection"); numbers stay numbers.
import type { Column } from '../../../query/rows/columns.ts';

export const ROW_FORMATS = ['json', 'ndjson', 'csv'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** The texts of a table, to be written one after the other. */
export interface RowWriter {
  /** The text before the rows. */
  head(): string;
  /** The text of a row. */
  row(values: readonly unknown[]): string;
  /** The text after the rows. */
  end(): string;
}

/** @param headers the headers of the columns */
export function rowWriter(format: RowFormat, headers: readonly string[]): RowWriter {
  switch (format) {
    case 'csv':
      return {
        head: () => csvLine(headers),
        row: csvLine,
        end: () => '',
      };
    case 'ndjson': {
      const object = objectsWith(headers);
      return { head: () => '', row: (values) => `${object(values)}\n`, end: () => '' };
    }
    case 'json': {
      const object = objectsWith(headers);
      let separator = '[';
      return {
        head: () => '',
        row(values) {
          const text = `${separator}${object(values)}`;
          separator = ',\n';
          return text;
        },
        end: () => (separator === '[' ? '[]\n' : ']\n'),
      };
    }
  }
}

/** The headers of columns. */
export function headersOf(columns: readonly Column[]): readonly string[] {
  return columns.map(({ header }) => header);
}

/** Writes objects with these members. */
function objectsWith(headers: readonly string[]): (values: readonly unknown[]) => string {
  const names = headers.map((header) => `${JSON.stringify(header)}:`);
  return (values) =>
    `{${names.map((name, at) => name + JSON.stringify(values[at] ?? null)).join(',')}}`;
}

function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** What spreadsheets read as the begin of a formula, full-width characters included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** One cell. Several values are separated by `; `, and objects are JSON. */
export function csvCell(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = cellText(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n\t;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A value as the text of a cell. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join('; ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
