// Hints about the hidden fields of a view that was written: what an administrator may have meant to
// hide, too, and names that no field has so far.
import type { ViewRules } from '../../auth/caller.ts';
import { HiddenFields } from '../../query/visibility/hidden-fields.ts';
import type { Mappings } from '../documents/mapping-cache.ts';

/** Most names in a hint. */
const NAMED_MAX = 5;

/**
 * @param mappings of the tenant, before the view
 * @returns sentences; fields of the same last name count as alike where one of the two is a member of
 * the document or of its `attributes`
 */
export function viewHints({ indices, hide }: ViewRules, mappings: Mappings): readonly string[] {
  const hidden = new HiddenFields(hide);
  const all = Object.values(mappings).flatMap(({ fields }) => [...fields.keys()]);
  const shown = Object.values(mappings).flatMap(({ index, fields }) =>
    Object.hasOwn(indices, index) ? [...fields.keys()] : [],
  );
  const visible = [...new Set(shown)].filter((path) => !hidden.has(path));
  return hidden.names.flatMap((path) => {
    const others = visible.filter((other) => isAlike(path, other));
    if (others.length > 0) {
      return [`"${path}" is hidden, but not ${named(others)}, which may have the same values`];
    }
    const isKnown = all.some((field) => field === path || field.startsWith(`${path}.`));
    return isKnown ? [] : [`"${path}" is hidden, but no document has such a field so far`];
  });
}

function isAlike(path: string, other: string): boolean {
  if (lastOf(path) !== lastOf(other)) return false;
  return [path, other].some((one) => [lastOf(one), `attributes.${lastOf(one)}`].includes(one));
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function named(paths: readonly string[]): string {
  const first = paths.slice(0, NAMED_MAX).map((path) => `"${path}"`);
  const more = paths.length - first.length;
  return [...first, ...(more > 0 ? [`${more} others`] : [])].join(', ');
}
