// Rows of CSV for spreadsheets (RFC 4180). Values come from documents and people, so a text that a
// spreadsheet would run as a formula gets an apostrophe in front; numbers stay numbers.

const FORMULA = /^[=+\-@\t\r]/;

/** One row, with its line end. Null and undefined are empty cells, objects are JSON. */
export function csvRow(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

/** A value as the text of a cell, before quoting. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function cellOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = cellText(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n\t;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
