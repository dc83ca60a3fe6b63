// The suggestions for the token at the caret: names at once, values after a pause in typing. An
// empty box offers the recent queries.
import { useEffect, useState } from 'preact/hooks';
import type { IndexName } from '../../../../src/query/query.ts';
import { type CaretToken, printField } from '../../../model/completion.ts';
import { fieldNamed, type KnownField, suggestionsFor } from '../../../model/field-catalogue.ts';
import { kindOf } from '../../../model/kinds.ts';
import { TYPING_PAUSE_MS } from '../../../ui/typing/typing-pause.ts';
import { useCell } from '../../../ui/use-cell.ts';
import { recentQueries } from './recent-queries.ts';
import { valueSuggestions, valuesAnywhere } from './value-suggestions.ts';

/** An entry of the list. */
export interface Suggestion {
  /** Replaces the token at the caret, or the whole query. */
  readonly written: string;
  readonly shown: string;
  readonly hint: string;
  readonly kind: 'name' | 'value' | 'clause' | 'query';
}

const SUGGESTIONS_MAX = 8;
const RECENT_MAX = 8;
/** Letters from which on values of any field are offered. */
const ANYWHERE_MIN = 3;

/**
 * @param typed the token at the caret; null: nothing to complete
 * @param isEmpty true if the query has no text
 */
export function useSuggestions(
  index: IndexName,
  fields: readonly KnownField[],
  typed: CaretToken | null,
  isEmpty: boolean,
): readonly Suggestion[] {
  const [loaded, setLoaded] = useState<Loaded>(NOTHING);
  const recent = useCell(recentQueries);
  const key = JSON.stringify([index, typed]);
  useEffect(() => {
    const work = typed === null || isEmpty ? null : valuesFor(index, fields, typed);
    if (work === null) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      work(controller.signal).then(
        (suggestions) => setLoaded({ key, suggestions }),
        // Completion is optional; the search itself shows the fault.
        () => !controller.signal.aborted && setLoaded(NOTHING),
      );
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, fields.length, isEmpty]);
  if (typed === null) return [];
  if (isEmpty && recent.length > 0) return recent.slice(0, RECENT_MAX).map(querySuggestion);
  const values = loaded.key === key ? loaded.suggestions : [];
  if (typed.kind === 'value') return values;
  const { columns, facets } = kindOf(index);
  const frequent = [...facets.map(({ field }) => field), ...columns];
  const names = suggestionsFor(fields, typed.prefix, typed.nested, SUGGESTIONS_MAX, frequent);
  return [...names.map(nameSuggestion), ...values].slice(0, SUGGESTIONS_MAX + values.length);
}

interface Loaded {
  readonly key: string;
  readonly suggestions: readonly Suggestion[];
}

const NOTHING: Loaded = { key: '', suggestions: [] };

/** Loads the values for a token; null if there are none to load. */
function valuesFor(index: IndexName, fields: readonly KnownField[], typed: CaretToken) {
  if (typed.kind === 'value') {
    const field = fieldNamed(fields, typed.field, typed.nested);
    if (field === undefined) return null;
    return async (signal: AbortSignal): Promise<Suggestion[]> => {
      const values = await valueSuggestions(index, field, typed.prefix, signal);
      return values.map(({ written, shown, count }) => ({
        written: `${written} `,
        shown,
        hint: count === null ? '' : count.toLocaleString('en'),
        kind: 'value',
      }));
    };
  }
  if (typed.nested !== null || !isWord(typed.prefix)) return null;
  return async (signal: AbortSignal): Promise<Suggestion[]> => {
    const values = await valuesAnywhere(index, typed.prefix, signal);
    return values.map(({ written, shown, label, count }) => ({
      written: `${written} `,
      shown,
      hint: `${label} · ${count.toLocaleString('en')}`,
      kind: 'clause',
    }));
  };
}

function isWord(prefix: string): boolean {
  return prefix.length >= ANYWHERE_MIN && /^[\p{L}\p{N}-]+$/u.test(prefix);
}

function querySuggestion(query: string): Suggestion {
  return { written: query, shown: query, hint: 'recent', kind: 'query' };
}

function nameSuggestion({
  name,
  hint,
  kind,
}: ReturnType<typeof suggestionsFor>[number]): Suggestion {
  const written = kind === 'array' ? `${name}(` : `${printField(name)}:`;
  return { written, shown: written, hint, kind: 'name' };
}
