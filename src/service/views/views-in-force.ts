// The views that restrict a reader, as stored now.
// Invariant: what cannot be found shows nothing, so nothing that happens to a view widens what a
// credential sees.
import type { Reader, ViewRules } from '../../auth/caller.ts';
import { fingerprint } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { ViewRecords } from '../ports/view-records.ts';

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

/** Views as one text, which is equal only for equal rules; null: no view restricts the reader. */
export function viewsKey(views: Reader['views']): string | null {
  return views === null ? null : fingerprint(JSON.stringify(views));
}

/**
 * Refuses to continue reading for a reader who may not read any more, or who sees something else now.
 * What reads page after page calls it before each page.
 * @throws ServiceError `token_invalid`, `forbidden`
 */
export async function refuseChangedReader(reader: Reader): Promise<void> {
  const { views } = await reader.current();
  if (viewsKey(views) === viewsKey(reader.views)) return;
  throw new ServiceError('forbidden', 'What you may see has changed: begin again.', {
    causes: ['a view that restricts you was changed while the answer was being read'],
  });
}
