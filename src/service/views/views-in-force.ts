// The views that restrict a reader, as stored now.
// Invariant: what cannot be found shows nothing, so nothing that happens to a view widens what a
// credential sees.
import type { Reader, ViewRules } from '../../auth/caller.ts';
import type { ViewRecords } from '../ports/view-records.ts';

/** A reader that no view restricts: an operator at the command line. */
export function unrestricted(tenantId: string): Reader {
  return { tenantId, views: null };
}

/**
 * The rules of views by their names.
 * @param names as recorded with an auth user and its credentials; duplicates count once
 * @returns null without names: no view restricts the reader
 */
export async function viewsInForce(
  records: Pick<ViewRecords, 'view'>,
  tenantId: string,
  names: readonly string[],
): Promise<readonly ViewRules[] | null> {
  if (names.length === 0) return null;
  const distinct = [...new Set(names)].sort();
  return Promise.all(
    distinct.map(async (name) => {
      const view = await records.view(tenantId, name);
      if (view === null) return { name, indices: {}, hide: [] };
      const { indices, hide } = view;
      return { name, indices, hide };
    }),
  );
}

/**
 * Whether the views of a reader are stored as when it was authenticated. What reads for long checks
 * it from time to time, since a view may be narrowed or deleted meanwhile.
 */
export async function viewsAreCurrent(
  records: Pick<ViewRecords, 'view'>,
  { tenantId, views }: Reader,
): Promise<boolean> {
  if (views === null) return true;
  const names = views.map(({ name }) => name);
  const current = await viewsInForce(records, tenantId, names);
  return JSON.stringify(current) === JSON.stringify(views);
}
