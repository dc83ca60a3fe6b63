// Where a table of profiles comes from: the list with its filters, rules, or a saved search. Pages
// in any order, and all matches for a file.
import {
  PROFILES_MAX,
  type Profile,
  type ProfilePage,
  type ProfileWindow,
} from '../../../api/profiles-api.ts';
import {
  reversedWindow,
  SORTED_MAX,
  type Sort,
  serviceOrder,
  sortedBy,
} from '../../../model/profiles/sorting.ts';
import type { ProfileColumn } from './profile-columns.tsx';

/** Requests profiles in an order of the service. */
export type ProfileSource = (window: ProfileWindow, signal: AbortSignal) => Promise<ProfilePage>;

/** Rows of a full page. */
export const PAGE = 50;

/**
 * A page of a table.
 * @param columns has the column to sort by, if the service does not order by it
 */
export async function tablePage(
  source: ProfileSource,
  sort: Sort,
  columns: readonly ProfileColumn[],
  offset: number,
  signal: AbortSignal,
): Promise<ProfilePage> {
  const order = serviceOrder(sort);
  if (order !== null && !sort.isDescending) return source({ order, offset, limit: PAGE }, signal);
  const { total } = await source({ order: order ?? 'name', offset: 0, limit: 1 }, signal);
  if (order !== null) {
    const window = reversedWindow(offset, PAGE, total);
    if (window === null) return { profiles: [], total };
    const { profiles } = await source({ order, ...window }, signal);
    return { profiles: [...profiles].reverse(), total };
  }
  if (total > SORTED_MAX) return source({ order: 'name', offset, limit: PAGE }, signal);
  const all = await allProfiles(source, sort, columns, signal, () => {});
  return { profiles: all.slice(offset, offset + PAGE), total: all.length };
}

/** All profiles of a source, in the order of the table. */
export async function allProfiles(
  source: ProfileSource,
  sort: Sort,
  columns: readonly ProfileColumn[],
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<readonly Profile[]> {
  const order = serviceOrder(sort);
  const all: Profile[] = [];
  for (;;) {
    const window = { order: order ?? 'name', offset: all.length, limit: PROFILES_MAX };
    const { profiles } = await source(window, signal);
    all.push(...profiles);
    onProgress(all.length);
    if (profiles.length < PROFILES_MAX) break;
  }
  if (order !== null) return sort.isDescending ? all.reverse() : all;
  const column = columns.find(({ key }) => key === sort.field);
  return column === undefined ? all : sortedBy(all, column.cell, sort);
}
