// Reads the paging and sorting parameters of a collection of the public API: `limit`, `offset`,
// `count`, `sorters` (`name,-enabled`).
// Invariant: a page is as large as requested or the request fails.
import { invalid } from '../body.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { nearestName } from '../mapping/nearest-name.ts';

/** The parameters as sent; absent ones have defaults. */
export interface CollectionParameters {
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly count?: string | undefined;
  readonly sorters?: string | undefined;
  readonly filters?: string | undefined;
}

/** A key of the order of a collection. */
export interface CollectionSorter {
  readonly field: string;
  readonly order: 'asc' | 'desc';
}

/** The requested part of a collection. */
export interface CollectionPage {
  readonly limit: number;
  readonly offset: number;
  /** Whether the total is counted. */
  readonly count: boolean;
}

/** The bounds of `limit`. */
export interface PageBounds {
  readonly byDefault: number;
  readonly most: number;
}

/** Those of the API of collections, where a list has no others. */
export const LIST_PAGE: PageBounds = { byDefault: 250, most: 250 };

/** @throws ServiceError `request_invalid` */
export function readCollectionPage(
  { limit, offset, count: flag = 'false' }: CollectionParameters,
  { byDefault, most }: PageBounds = LIST_PAGE,
): CollectionPage {
  const count = flag.toLowerCase();
  if (count !== 'true' && count !== 'false') throw invalid('count: expected true or false');
  return {
    limit: limit === undefined ? byDefault : integer('limit', limit, 0, most),
    offset: offset === undefined ? 0 : integer('offset', offset, 0, Number.MAX_SAFE_INTEGER),
    count: count === 'true',
  };
}

/**
 * Reads the sort keys; a leading `-` is descending.
 * @param fields the names of the fields that the collection can be sorted by
 * @throws ServiceError `request_invalid`, `limit_exceeded`
 */
export function readCollectionSorters(
  text: string | undefined,
  fields: readonly string[],
  limits: Pick<QueryLimits, 'maxSortKeys'>,
): readonly CollectionSorter[] {
  if (text === undefined || text.trim() === '') return [];
  const keys = text.split(',');
  const { maxSortKeys } = limits;
  if (keys.length > maxSortKeys) throw limitFault('maxSortKeys', maxSortKeys, 'keys in sorters');
  return keys.map((key) => {
    const [, sign, name = ''] = /^\s*([+-]?)\s*(.*?)\s*$/.exec(key) ?? [];
    if (fields.includes(name)) return { field: name, order: sign === '-' ? 'desc' : 'asc' };
    const near = nearestName(name, fields);
    const hint = near === null ? `expected one of ${fields.join(', ')}` : `did you mean ${near}?`;
    throw invalid(`sorters: ${JSON.stringify(name.slice(0, 60))} is not sortable; ${hint}`);
  });
}

function integer(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const bounds =
    most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw invalid(`${name}: ${JSON.stringify(text.slice(0, 40))} is not a whole number ${bounds}`);
}
