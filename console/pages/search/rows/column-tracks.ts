// The widths of the columns of the result table. Texts share the free room by their length, numbers
// and dates take what they need. A width that the user set is exact.

import { textAt } from '../../../model/document-value.ts';
import type { KnownField } from '../../../model/field-catalogue.ts';
import type { Document } from '../../../model/wire.ts';
import { isStatusField } from '../../../ui/values/status-tone.ts';

/** What a column holds. */
export type ColumnKind = 'name' | 'text' | 'number' | 'boolean' | 'date' | 'status';

const LEAST_PX: Readonly<Record<ColumnKind, number>> = {
  name: 176,
  text: 100,
  number: 108,
  boolean: 92,
  date: 148,
  status: 132,
};
/** Shares of the free room: the length of the texts between these limits, or 1 for none. */
const LEAST_SHARE = 8;
const LARGEST_SHARE = 24;
/** Width of the picture beside a name and of its bold letters, in characters. */
const PICTURE_CHARACTERS = 14;
/** The rows that decide, so that no width changes when more are loaded. */
const MEASURED_ROWS = 50;
/** Of these rows, so many have no longer text. */
const MEASURED_PART = 0.9;
/** The width of the last cell of a row, which has its buttons (style/rows.css). */
const TOOLS = 'var(--row-tools)';

/** What a column holds, by its type; the first column and names of things are names. */
export function columnKind(
  path: string,
  at: number,
  fields: readonly Pick<KnownField, 'path' | 'type'>[],
): ColumnKind {
  if (isStatusField(path)) return 'status';
  switch (fields.find((field) => field.path === path)?.type) {
    case 'date':
      return 'date';
    case 'boolean':
      return 'boolean';
    case 'long':
    case 'double':
      return 'number';
    case 'text':
    case 'keyword':
    case undefined:
      return at === 0 || path === 'name' || path === 'displayName' ? 'name' : 'text';
  }
}

/** How many characters the texts of each column usually have, by the first rows. */
export function textLengths(columns: readonly string[], rows: readonly Document[]): number[] {
  const measured = rows.slice(0, MEASURED_ROWS);
  return columns.map((column) => {
    const lengths = measured.map((row) => textAt(row, column).length).sort((a, b) => a - b);
    return lengths[Math.floor(MEASURED_PART * (lengths.length - 1))] ?? 0;
  });
}

/**
 * The tracks of a CSS grid, and the width from which on it scrolls.
 * @param lengths those of `textLengths`
 * @param widths pixels that the user set, by column
 */
export function columnTracks(
  columns: readonly string[],
  kinds: readonly ColumnKind[],
  lengths: readonly number[],
  widths: Readonly<Record<string, number>>,
): { readonly gridTemplateColumns: string; readonly minWidth: string } {
  const tracks = columns.map((column, at) => {
    const width = Object.hasOwn(widths, column) ? widths[column] : undefined;
    const kind = kinds[at] ?? 'text';
    const leastPx = LEAST_PX[kind];
    const share = shareOf(kind, lengths[at] ?? 0);
    return width === undefined
      ? { px: leastPx, text: `minmax(${leastPx}px, ${share}fr)` }
      : { px: width, text: `${width}px` };
  });
  const all = tracks.reduce((sum, { px }) => sum + px, 0);
  return {
    gridTemplateColumns: `${tracks.map(({ text }) => text).join(' ')} minmax(${TOOLS}, auto)`,
    minWidth: `calc(${all}px + ${TOOLS})`,
  };
}

/** @param length characters of its texts */
function shareOf(kind: ColumnKind, length: number): number {
  if ((kind !== 'name' && kind !== 'text') || length === 0) return 1;
  const share = Math.min(LARGEST_SHARE, Math.max(LEAST_SHARE, length));
  return kind === 'name' ? share + PICTURE_CHARACTERS : share;
}
