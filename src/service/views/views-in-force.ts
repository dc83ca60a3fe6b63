// The views that restrict a reader, as stored now.
// Invariant: what cannot be found shows nothing, so nothing that happens to a view widens what a
// credential sees.
import type { Reader, ViewRules } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import type { Records } from '../ports/store.ts';
import type { ViewRecords } from '../ports/view-records.ts';

/** What the views of a reader are read from. */
export type ViewLookups = Pick<Records, 'view' | 'userStatus'>;

/** A reader that no view restricts: an operator at the command line. */
export function unrestricted(tenantId: string): Reader {
  return { tenantId, views: null, authUsers: [] };
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
 * Refuses to go on reading for a reader who may see less now.
 * @throws ServiceError `forbidden`
 */
export async function refuseOutdatedViews(records: ViewLookups, reader: Reader): Promise<void> {
  if (await viewsAreCurrent(records, reader)) return;
  throw new ServiceError('forbidden', 'What you may see has changed: begin again.', {
    causes: ['a view that restricts you was changed while the answer was being read'],
  });
}

/**
 * Whether the views of a reader are stored as when it was authenticated, and no other one restricts
 * an auth user that counts for it since. What reads for long checks it from time to time.
 */
async function viewsAreCurrent(
  records: ViewLookups,
  { tenantId, views, authUsers }: Reader,
): Promise<boolean> {
  const names = views?.map(({ name }) => name) ?? [];
  for (const id of authUsers) {
    const view = (await records.userStatus(tenantId, id))?.view ?? null;
    if (view !== null && !names.includes(view)) return false;
  }
  const current = await viewsInForce(records, tenantId, names);
  return JSON.stringify(current) === JSON.stringify(views);
}
