// Rows of CSV for spreadsheets (RFC 4180). Values come from documents and people, so a text that a
// spreadsheet would run as a formula gets an apostrophe in front, as OWASP advises ("CSV Injection");
// numbers stay numbers.
// Invariant: `plainText` gives back the text that `csvCell` wrote.

/**
 * What spreadsheets read as the begin of a formula, full-width characters included, and what looks as
 * if it had got its apostrophe.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** One row, with its line end. Null and undefined are empty cells. */
export function csvRow(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** One cell. */
export function csvCell(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = cellText(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n\t;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a cell that was read, without the apostrophe in front of a formula. */
export function plainText(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** A value as the text of a cell, before quoting: several are separated by `; `, objects are JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join('; ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
