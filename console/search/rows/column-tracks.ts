// The widths of the columns of the result table. A column gets room by what it holds: names most,
// numbers least. A width that the user set is exact.
import { isStatusField } from '../../ui/values/status-tone.ts';
import type { KnownField } from '../query/field-catalogue.ts';

/** What a column holds. */
export type ColumnKind = 'name' | 'text' | 'number' | 'boolean' | 'date' | 'status';

interface Track {
  readonly leastPx: number;
  /** Share of the free room. */
  readonly share: number;
}

const TRACKS: Readonly<Record<ColumnKind, Track>> = {
  name: { leastPx: 184, share: 1.4 },
  text: { leastPx: 104, share: 1.2 },
  number: { leastPx: 108, share: 0.2 },
  boolean: { leastPx: 92, share: 0.3 },
  date: { leastPx: 156, share: 0.3 },
  status: { leastPx: 132, share: 0.2 },
};
const TOOLS_PX = 84;

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

/** The tracks of a CSS grid, and the width from which on it scrolls. */
export function columnTracks(
  columns: readonly string[],
  kinds: readonly ColumnKind[],
  widths: Readonly<Record<string, number>>,
): { readonly gridTemplateColumns: string; readonly minWidth: string } {
  const tracks = columns.map((column, at) => {
    const width = Object.hasOwn(widths, column) ? widths[column] : undefined;
    const { leastPx, share } = TRACKS[kinds[at] ?? 'text'];
    return width === undefined
      ? { px: leastPx, text: `minmax(${leastPx}px, ${share}fr)` }
      : { px: width, text: `${width}px` };
  });
  const all = tracks.reduce((sum, { px }) => sum + px, TOOLS_PX);
  return {
    gridTemplateColumns: `${tracks.map(({ text }) => text).join(' ')} minmax(${TOOLS_PX}px, auto)`,
    minWidth: `${all}px`,
  };
}
