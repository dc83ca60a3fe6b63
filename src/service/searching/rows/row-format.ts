// Writes rows as JSON, as newline-delimited JSON, or as CSV for spreadsheets.
import { csvRow } from '../../../query/csv-row.ts';
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
        head: () => csvRow(headers),
        row: csvRow,
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
