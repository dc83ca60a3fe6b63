// Whether a whole value completes a text by itself, and the terms it holds in a form. The same for every backend.
import { fold } from '../../analysis/fold.ts';
import { words } from '../../analysis/words.ts';
import type { TypeaheadField } from '../../query/plan.ts';
import type { TermForm } from '../../query/query.ts';

/** The terms of a value: its words, or itself. */
export function termsOfValue(value: string, form: TermForm): readonly string[] {
  if (form === 'exact') return [value];
  return form === 'folded' ? [fold(value)] : words(value).map(({ term }) => term);
}

/**
 * Whether the terms but the last stand side by side in the value, followed by one of `ends`.
 * @param ends what the last term may stand for
 */
export function completes(
  { form, terms }: TypeaheadField,
  ends: ReadonlySet<string>,
  value: string,
): boolean {
  const found = termsOfValue(value, form);
  if (form !== 'word') return ends.has(found[0] ?? '');
  const last = terms.length - 1;
  for (let at = 0; at + last < found.length; at++) {
    let same = 0;
    while (same < last && found[at + same] === terms[same]) same += 1;
    if (same === last && ends.has(found[at + last] ?? '')) return true;
  }
  return false;
}
