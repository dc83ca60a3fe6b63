// One page of several selections that have no object in common. Each is read up to the end of the
// page, so this is for the first pages only.
import { ServiceError } from '../../errors.ts';
import type { SortKey, SortValue } from '../../query/query.ts';
import type { Hit, SearchResult } from '../ports/search-backend.ts';
import type { Selection } from './filter-query.ts';
import type { ListWindow } from './list-plan.ts';
import { compare } from './object-list.ts';

/** Reads one page of a selection. */
export type SearchSelection = (
  selection: Selection,
  window: ListWindow,
  after: readonly SortValue[] | null,
) => Promise<SearchResult>;

/** Largest `offset` of a page that is merged; beyond it only the next page of a walk is. */
const OFFSET_MAX = 10_000;

/**
 * The hits of a page, in the order of the sort keys, then of ids and positions.
 * @param after the sort values of the object before the page, if it is known
 * @throws ServiceError `limit_exceeded` for a deep page that does not continue a walk
 */
export async function mergedHits(
  selections: readonly Selection[],
  window: ListWindow,
  after: readonly SortValue[] | null,
  search: SearchSelection,
): Promise<SearchResult> {
  const offset = after === null ? window.offset : 0;
  if (offset > OFFSET_MAX) {
    const cause = `offset: at most ${OFFSET_MAX} with a filter that joins conditions on identities and accounts by or or not, unless the pages before were read just now`;
    throw new ServiceError('limit_exceeded', cause, { causes: [cause] });
  }
  const wider = { ...window, offset: 0, limit: offset + window.limit };
  const results: SearchResult[] = [];
  for (const selection of selections) results.push(await search(selection, wider, after));
  const hits = results
    .flatMap((result) => result.hits)
    .sort((a, b) => compareHits(a, b, window.sort));
  return {
    hits: hits.slice(offset, offset + window.limit),
    total: window.count ? results.reduce((sum, { total }) => sum + (total ?? 0), 0) : null,
  };
}

/** The sort values end with id and position, which are in ascending order. */
function compareHits({ sort: one }: Hit, { sort: other }: Hit, keys: readonly SortKey[]): number {
  for (const [at, value] of one.entries()) {
    const difference = compare(value, other[at] ?? null, keys[at]?.order ?? 'asc');
    if (difference !== 0) return difference;
  }
  return 0;
}
