// Hints about the hidden fields of a view that was written: visible ones that repeat their values in
// documents, and names that no field has so far.
import { setImmediate as turn } from 'node:timers/promises';
import type { ViewRules } from '../../auth/caller.ts';
import { INDEX_NAMES } from '../../query/mapping/document-types.ts';
import { nearestName } from '../../query/mapping/nearest-name.ts';
import { HiddenFields } from '../../query/visibility/hidden-fields.ts';
import { bareDocument } from '../documents/bare-document.ts';
import type { Records } from '../ports/store.ts';
import { RepeatedValues } from './repeated-values.ts';
import type { HideableNames } from './view-request.ts';

/** Documents of each index that are looked at: the first by id. */
const DOCUMENTS = 500;
const DOCUMENTS_AT_ONCE = 50;
/** Most names in a hint. */
const NAMED_MAX = 8;

/**
 * @param names of the fields that the view may hide
 * @returns sentences without a full stop
 * @throws ServiceError `unavailable`
 */
export async function viewHints(
  records: Pick<Records, 'documentPage'>,
  tenantId: string,
  { indices, hide }: ViewRules,
  names: HideableNames,
): Promise<readonly string[]> {
  if (hide.length === 0) return [];
  const hidden = new HiddenFields(hide);
  const values = new RepeatedValues(hidden);
  for (const index of INDEX_NAMES) {
    if (!Object.hasOwn(indices, index)) continue;
    let after = '';
    for (let count = 0; count < DOCUMENTS; count += DOCUMENTS_AT_ONCE) {
      const page = await records.documentPage(tenantId, index, after, DOCUMENTS_AT_ONCE);
      for (const document of page) {
        values.add(index, JSON.parse(Buffer.concat(bareDocument(document)).toString()));
      }
      after = page.at(-1)?.id ?? '';
      if (page.length < DOCUMENTS_AT_ONCE) break;
      // Other requests are not kept waiting.
      await turn();
    }
  }
  const repeated = values.all().map((one) => {
    return `${quoted(one.hidden)} is hidden, but ${named(one.visible)} may have the same values`;
  });
  const unknown = hidden.names
    .filter((name) => !names.has(name))
    .map((name) => {
      const nearest = nearestName(name, names.near(name));
      const meant = nearest === null ? '' : `; did you mean ${quoted(nearest)}?`;
      return `${quoted(name)} is hidden, but nothing that the view shows has such a field so far${meant}`;
    });
  return [...repeated, ...unknown];
}

function named(paths: readonly string[]): string {
  const more = paths.length - NAMED_MAX;
  return [...paths.slice(0, NAMED_MAX).map(quoted), ...(more > 0 ? [`${more} others`] : [])].join(
    ', ',
  );
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
