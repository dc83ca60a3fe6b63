// The rows of a result as CSV (RFC 4180): one line for each document, the columns of its type.
// Invariant: no cell starts a formula in a spreadsheet.
import type { ResultColumn } from '../identity/ports/saved-search-records.ts';
import type { Hit } from '../identity/ports/search-backend.ts';

/** Columns of a type for which the saved search chooses none. */
export const DEFAULT_COLUMNS: Readonly<Record<string, string>> = {
  accessprofile: 'id name description source.name owner.name enabled',
  accountactivity: 'id created action status requester.name recipient.name',
  entitlement: 'id name source.name attribute value privileged',
  event: 'id created name actor.name target.name status',
  identity: 'id name displayName email manager.displayName inactive',
  role: 'id name description owner.name enabled',
};
/** Between the values of an array in one cell. */
const SEPARATOR = '; ';
const LINE_END = '\r\n';

/** The columns of a document type. */
export function columnsOf(
  type: string,
  chosen: Readonly<Record<string, readonly ResultColumn[]>>,
): readonly ResultColumn[] {
  const columns = chosen[type] ?? [];
  if (columns.length > 0) return columns;
  const fields = (DEFAULT_COLUMNS[type] ?? 'id').split(' ');
  return fields.map((field) => ({ field, header: null }));
}

/** The texts of the header. */
export function headerOf(columns: readonly ResultColumn[]): readonly string[] {
  return columns.map(({ field, header }) => header ?? field.replace(/^@/, ''));
}

/** The texts of the row of a hit, not yet escaped. */
export function rowOf(hit: Hit, columns: readonly ResultColumn[]): readonly string[] {
  const document = documentOf(hit);
  return columns.map(({ field }) => {
    const path = field.replace(/^@/, '').split('.');
    return textOf(valuesAt(document, path));
  });
}

/** A line of CSV, with its end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(escaped).join(',')}${LINE_END}`;
}

function documentOf({ root, nested }: Hit): unknown {
  const decoder = new TextDecoder();
  const members = decoder.decode(root);
  if (nested.length === 0) return JSON.parse(members);
  const separator = members === '{}' ? '' : ',';
  return JSON.parse(`${members.slice(0, -1)}${separator}${decoder.decode(nested)}}`);
}

/** The values at a path, those of all elements of arrays. */
function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path));
  if (value === null || value === undefined) return [];
  if (path.length === 0) return [value];
  if (typeof value !== 'object') return [];
  const members = value as Readonly<Record<string, unknown>>;
  // A name of a dynamic attribute may contain dots.
  for (let length = path.length; length > 0; length -= 1) {
    const name = path.slice(0, length).join('.');
    if (Object.hasOwn(members, name)) return valuesAt(members[name], path.slice(length));
  }
  return [];
}

function textOf(values: readonly unknown[]): string {
  return values
    .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
    .join(SEPARATOR);
}

/** Quotes a cell where needed, and puts an apostrophe before what a spreadsheet would calculate. */
function escaped(cell: string): string {
  const startsFormula = /^[=+\-@\t\r]/.test(cell) && !/^[+-]?[\d ().]+$/.test(cell);
  const text = startsFormula ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
