// The suggestions for the token at the caret: names at once, values after a pause in typing.
import { useEffect, useState } from 'preact/hooks';
import type { IndexName } from '../../src/query/query.ts';
import { type CaretToken, printField } from './completion.ts';
import { fieldNamed, type KnownField, suggestionsFor } from './field-catalogue.ts';
import { valueSuggestions } from './value-suggestions.ts';

/** An entry of the list. */
export interface Suggestion {
  /** Replaces the token at the caret. */
  readonly written: string;
  readonly shown: string;
  readonly hint: string;
}

const SUGGESTIONS_MAX = 8;
const PAUSE_MS = 120;

/** @param typed the token at the caret; null: nothing to complete */
export function useSuggestions(
  index: IndexName,
  fields: readonly KnownField[],
  typed: CaretToken | null,
): readonly Suggestion[] {
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([]);
  const key = JSON.stringify([index, typed, fields.length]);
  useEffect(() => {
    if (typed === null) {
      setSuggestions([]);
      return;
    }
    if (typed.kind === 'field') {
      setSuggestions(
        suggestionsFor(fields, typed.prefix, typed.nested, SUGGESTIONS_MAX).map(nameSuggestion),
      );
      return;
    }
    const field = fieldNamed(fields, typed.field, typed.nested);
    if (field === undefined) {
      setSuggestions([]);
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      valueSuggestions(index, field, typed.prefix, controller.signal).then(
        (values) =>
          setSuggestions(
            values.map(({ written, shown }) => ({ written: `${written} `, shown, hint: '' })),
          ),
        // Completion is optional; the search itself shows the fault.
        () => !controller.signal.aborted && setSuggestions([]),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return suggestions;
}

function nameSuggestion({
  name,
  hint,
  kind,
}: ReturnType<typeof suggestionsFor>[number]): Suggestion {
  const written = kind === 'array' ? `${name}(` : `${printField(name)}:`;
  return { written, shown: written, hint };
}
