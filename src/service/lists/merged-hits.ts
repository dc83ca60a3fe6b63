// One page of several selections that have no object in common. Each is read up to the end of the
// page, so this is for the first pages only.
import { ServiceError } from '../../errors.ts';
import type { SortKey, SortValue } from '../../query/query.ts';
import type { Hit, SearchResult } from '../ports/search-backend.ts';
import type { Selection } from './filter-query.ts';
import type { ListOrder, ListWindow } from './list-plan.ts';
import { compare } from './object-list.ts';

/** Reads one page of a selection. */
export type SearchSelection = (
  selection: Selection,
  window: ListWindow,
  after: readonly SortValue[] | null,
) => Promise<SearchResult>;

/** A selection with the value that all its objects have of the split of their order. */
export interface Part extends Selection {
  readonly value?: number | null;
}

/** A page, and the sort values of its last object, with that of the split among them. */
export interface MergedPage extends Pick<SearchResult, 'hits' | 'total' | 'release'> {
  readonly end: readonly SortValue[] | null;
}

/** Largest `offset` of a page that is merged; beyond it only the next page of a walk is. */
const OFFSET_MAX = 10_000;

/**
 * The hits of a page, in the order of the sort keys, then of ids and positions.
 * @param after the sort values of the object before the page, if it is known
 * @throws ServiceError `limit_exceeded` for a deep page that does not continue a walk
 */
export async function mergedHits(
  parts: readonly Part[],
  window: ListWindow,
  after: readonly SortValue[] | null,
  search: SearchSelection,
): Promise<MergedPage> {
  const offset = after === null ? window.offset : 0;
  if (offset > OFFSET_MAX) {
    const cause = `offset: at most ${OFFSET_MAX} with a filter that joins conditions on identities and accounts by or or not, or sorted by hasEntitlements, unless the pages before were read just now`;
    throw new ServiceError('limit_exceeded', cause, { causes: [cause] });
  }
  const wider = { ...window, offset: 0, limit: offset + window.limit };
  const results: SearchResult[] = [];
  const found: { readonly hit: Hit; readonly sort: readonly SortValue[] }[] = [];
  for (const part of parts) {
    const from = after === null ? null : afterIn(part, window, after);
    const result = await search(part, wider, from);
    results.push(result);
    for (const hit of result.hits) found.push({ hit, sort: withValue(hit.sort, part, window) });
  }
  const keys = keysOf(window);
  const page = found.sort((a, b) => compareHits(a, b, keys)).slice(offset, offset + window.limit);
  return {
    hits: page.map(({ hit }) => hit),
    total: window.count ? results.reduce((sum, { total }) => sum + (total ?? 0), 0) : null,
    end: page.at(-1)?.sort ?? null,
    release: () => {
      for (const { release } of results) release?.();
    },
  };
}

function withValue(
  sort: readonly SortValue[],
  { value = null }: Part,
  { split }: ListOrder,
): readonly SortValue[] {
  return split === null ? sort : sort.toSpliced(split.at, 0, value);
}

/** The keys with the split among them. */
function keysOf({ sort, split }: ListOrder): readonly Pick<SortKey, 'order'>[] {
  return split === null
    ? sort
    : sort.toSpliced(split.at, 0, { ...split, field: '', type: 'number' });
}

/** Before and after every id, with the position of an element. */
const FIRST_ID: readonly SortValue[] = ['', -1];
const LAST_ID: readonly SortValue[] = ['\u{10ffff}', Number.MAX_SAFE_INTEGER];

/**
 * Where the objects of a part begin that come after an object of any part: after what ties with it up
 * to the split if their value is before that of the object, or before that if it is after.
 */
function afterIn(
  { value = null }: Part,
  { sort, split }: ListOrder,
  after: readonly SortValue[],
): readonly SortValue[] {
  if (split === null) return after;
  const [before, rest] = [after.slice(0, split.at), after.slice(split.at + 1)];
  const difference = compare(value, after[split.at] ?? null, split.order);
  if (difference === 0) return [...before, ...rest];
  const keys = sort.slice(split.at);
  return difference < 0
    ? [...before, ...keys.map(() => null), ...LAST_ID]
    : [...before, ...keys.map(firstValue), ...FIRST_ID];
}

/** What comes before every value of a key. */
function firstValue({ order, type }: SortKey): SortValue {
  if (type === 'string') return order === 'asc' ? '' : '\u{10ffff}';
  return order === 'asc' ? -Number.MAX_VALUE : Number.MAX_VALUE;
}

/** The sort values end with id and position, which are in ascending order. */
function compareHits(
  { sort: one }: Pick<Hit, 'sort'>,
  { sort: other }: Pick<Hit, 'sort'>,
  keys: readonly Pick<SortKey, 'order'>[],
): number {
  for (const [at, value] of one.entries()) {
    const difference = compare(value, other[at] ?? null, keys[at]?.order ?? 'asc');
    if (difference !== 0) return difference;
  }
  return 0;
}
