// Whether a value completes a typed text by itself, and the terms of a value; for all backends.
import { fold } from '../../query/analysis/fold.ts';
import { words } from '../../query/analysis/words.ts';
import type { TypeaheadField } from '../../query/plan.ts';
import type { TermForm } from '../../query/query.ts';

/** The terms of a value: its words, or the value itself. */
export function termsOfValue(value: string, form: TermForm): readonly string[] {
  if (form === 'exact') return [value];
  return form === 'folded' ? [fold(value)] : words(value).map(({ term }) => term);
}

/**
 * True if the value contains all terms but the last in sequence, followed by one of `ends`.
 * @param ends the expansions of the last term
 */
export function completes(
  { form, terms }: TypeaheadField,
  ends: ReadonlySet<string>,
  value: string,
): boolean {
  const valueTerms = termsOfValue(value, form);
  if (form !== 'word') return ends.has(valueTerms[0] ?? '');
  const last = terms.length - 1;
  for (let at = 0; at + last < valueTerms.length; at++) {
    let matched = 0;
    while (matched < last && valueTerms[at + matched] === terms[matched]) matched += 1;
    if (matched === last && ends.has(valueTerms[at + last] ?? '')) return true;
  }
  return false;
}
