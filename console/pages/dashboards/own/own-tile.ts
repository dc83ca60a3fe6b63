// The tile of a user's dashboard as it is shown.
import type { SearchDefinition } from '../../../../src/query/search-definition.ts';
import type { TileDefinition, TileKind } from '../../../api/dashboard.ts';
import { kindOf } from '../../../model/kinds.ts';
import type { SearchState } from '../../../model/search-state.ts';
import { loadNumber, loadRows, loadTimes, loadValues } from '../tile/load-tile.ts';
import type { Tile, TileData } from '../tile/tile.ts';
import { addressOf, indexOf, withSpan } from '../tile/tile-search.ts';

/** The values or rows of a tile without a choice. */
export const DEFAULT_SIZE = 5;

/** The title of a tile. */
export function titleOf({ title, savedSearchName }: TileDefinition): string {
  return title ?? savedSearchName ?? 'Saved search';
}

/** The date field of a tile over time. */
export function dateFieldOf(search: SearchDefinition): string {
  return kindOf(indexOf(search)).timeline ?? 'created';
}

/**
 * @param span the time range of the page, for documents with a time line; null: all time
 * @returns null if the saved search was deleted, or the user may not see it
 */
export function ownTile(
  definition: TileDefinition,
  key: number,
  span: SearchState['span'] = null,
): Tile | null {
  const { search: whole, kind, width, alarmAbove, field, size } = definition;
  if (whole === null) return null;
  const search = withSpan(whole, span);
  return {
    ...{ id: String(key), title: titleOf(definition), kind, width, query: queryText(search) },
    hint: alarmAbove === null ? null : `alarm above ${alarmAbove.toLocaleString('en')}`,
    address: addressOf(search),
    isFailure: false,
    alarm: alarmAbove === null ? null : { above: alarmAbove, tone: 'bad' },
    key: JSON.stringify([kind, search, field, size]),
    load: (signal) =>
      kind === 'number'
        ? loadNumber(whole, span, signal)
        : loadOwn(definition, kind, search, signal),
  };
}

function loadOwn(
  { field, size }: TileDefinition,
  kind: Exclude<TileKind, 'number'>,
  search: SearchDefinition,
  signal: AbortSignal,
): Promise<TileData> {
  switch (kind) {
    case 'values':
      return loadValues(search, field ?? '', size ?? DEFAULT_SIZE, signal);
    case 'time':
      return loadTimes(search, field ?? dateFieldOf(search), signal);
    case 'rows':
      return loadRows(search, size ?? DEFAULT_SIZE, signal);
  }
}

/** The query, and that there are filters, for exports. */
function queryText({ indices, query, filters }: SearchDefinition): string {
  const fields = Object.keys(filters ?? {});
  const narrowed = fields.length === 0 ? '' : `, filtered by ${fields.join(', ')}`;
  return `${indices.join(', ')}: ${query}${narrowed}`;
}
