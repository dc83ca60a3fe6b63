// Reads the body of a dashboard. Members that callers cannot choose, such as `owner`, are ignored,
// because clients send back what they have read. Whether searches can be planned, and saved searches
// exist, is checked in dashboards.ts.

import { ServiceError } from '../../errors.ts';
import { invalid, Members, wrongType } from '../../query/body.ts';
import type { SearchDefinition } from '../../query/search-definition.ts';
import type { DashboardDefinition, DashboardTile, TileKind } from '../ports/dashboard-records.ts';
import { readSavedSearch, readText } from '../saved-searches/saved-search-request.ts';

const MAX_TILES = 24;
const MAX_DASHBOARD_NAME = 120;
/** Characters of the tiles as JSON. */
const MAX_DASHBOARD_SIZE = 65_536;
/** The most values or rows of a tile. */
const MAX_TILE_SIZE = 50;
const MAX_ID_LENGTH = 100;
const MAX_FIELD_LENGTH = 500;
const KINDS: readonly TileKind[] = ['number', 'values', 'time', 'rows'];
const WIDTHS: readonly DashboardTile['width'][] = [1, 2, 4];

/** @throws ServiceError `body_malformed`, `request_invalid`, `limit_violation` */
export function readDashboard(body: unknown): DashboardDefinition {
  const members = new Members(body, '');
  const name = readText(members, 'name', MAX_DASHBOARD_NAME) ?? '';
  if (name === '') throw invalid('name: a name is needed');
  const list = members.get('tiles') ?? [];
  if (!Array.isArray(list)) throw wrongType('tiles', 'an array of tiles');
  if (list.length > MAX_TILES) throw tooMuch(`tiles: at most ${MAX_TILES}`);
  const tiles = list.map((tile, at) => readTile(new Members(tile, `tiles[${at}]`)));
  if (JSON.stringify(tiles).length > MAX_DASHBOARD_SIZE) {
    throw tooMuch(`tiles: at most ${MAX_DASHBOARD_SIZE} characters as JSON`);
  }
  return { name, shared: members.boolean('shared') ?? false, tiles };
}

/** Prefixes what is wrong with the search of a tile with its path. */
export function faultOfTile(error: unknown, at: number): unknown {
  if (!(error instanceof ServiceError)) return error;
  const [cause = error.message, ...causes] = error.details.causes ?? [];
  return new ServiceError(error.code, error.message, {
    ...error.details,
    causes: [`tiles[${at}].search: ${cause}`, ...causes],
  });
}

function readTile(members: Members): DashboardTile {
  const kind = oneOf(members, 'kind', KINDS);
  const savedSearchId = readText(members, 'savedSearchId', MAX_ID_LENGTH) ?? null;
  const title = readText(members, 'title', MAX_DASHBOARD_NAME) || null;
  if (savedSearchId === null && title === null) {
    throw invalid(`${members.pathOf('title')}: needed, unless the tile shows a saved search`);
  }
  const hasField = kind === 'values' || kind === 'time';
  const field = hasField ? readText(members, 'field', MAX_FIELD_LENGTH) || null : null;
  if (kind === 'values' && field === null) {
    throw invalid(`${members.pathOf('field')}: the field whose values are counted is needed`);
  }
  const hasSize = kind === 'values' || kind === 'rows';
  return {
    ...{ title, kind, savedSearchId, field },
    width: members.get('width') === undefined ? 2 : oneOf(members, 'width', WIDTHS),
    search: savedSearchId === null ? readTileSearch(members) : null,
    size: hasSize ? readWhole(members, 'size', 1, MAX_TILE_SIZE) : null,
    alarmAbove:
      kind === 'number' ? readWhole(members, 'alarmAbove', 0, Number.MAX_SAFE_INTEGER) : null,
  };
}

function readTileSearch(members: Members): SearchDefinition {
  const search = members.get('search');
  const path = members.pathOf('search');
  if (search === undefined) throw invalid(`${path}: needed, unless savedSearchId is given`);
  const at = Number(/\d+/.exec(path)?.[0]);
  try {
    const { name: _, description: __, shared: ___, ...definition } = readSavedSearch(search);
    return definition;
  } catch (error) {
    throw faultOfTile(error, at);
  }
}

function oneOf<T extends string | number>(members: Members, name: string, values: readonly T[]): T {
  const value = members.get(name);
  const match = values.find((one) => one === value);
  if (match === undefined) {
    throw invalid(
      `${members.pathOf(name)}: must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`,
    );
  }
  return match;
}

function readWhole(members: Members, name: string, min: number, max: number): number | null {
  const value = members.number(name);
  if (value === undefined) return null;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} on` : `${min} to ${max}`;
  throw invalid(`${members.pathOf(name)}: a whole number from ${range}`);
}

function tooMuch(cause: string): ServiceError {
  return new ServiceError('limit_violation', 'The dashboard is too large.', { causes: [cause] });
}
