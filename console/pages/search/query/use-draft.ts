// The state of the query box: the text, the suggestions at the caret and the keyboard handling. The
// focus stays in the input, as in a combobox.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { IndexName } from '../../../../src/query/query.ts';
import { tokenAt } from '../../../model/completion.ts';
import { useTypedText } from '../../../ui/typing/use-typed-text.ts';
import { useFields } from './use-fields.ts';
import { type Suggestion, useSuggestions } from './use-suggestions.ts';

export interface Draft {
  readonly text: string;
  readonly suggestions: readonly Suggestion[];
  /** Index of the active suggestion; -1: none. */
  readonly active: number;
  /** @param caret its position; null: no suggestions */
  edit(text: string, caret: number | null): void;
  accept(suggestion: Suggestion): void;
  submit(): void;
  closeSuggestions(): void;
  /** Offers the recent queries, if the box is empty. */
  onFocus(): void;
  onKey(event: KeyboardEvent): void;
}

/** @param query the query that was submitted last, which is the initial text */
export function useDraft(
  index: IndexName,
  query: string,
  input: RefObject<HTMLInputElement | null>,
  onSubmitQuery: (query: string) => void,
): Draft {
  const [text, setText] = useTypedText(query);
  const [caret, setCaret] = useState<number | null>(null);
  const [active, setActive] = useState(-1);
  const typed = caret === null ? null : tokenAt(text, caret);
  const suggestions = useSuggestions(index, useFields(index), typed, text.trim() === '');
  // Moves the caret behind an accepted completion before the next key press.
  const nextCaret = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (nextCaret.current === null) return;
    input.current?.focus();
    input.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = null;
  });
  const edit = (next: string, at: number | null) => {
    setText(next);
    setCaret(at);
    setActive(-1);
  };
  const accept = (suggestion: Suggestion) => {
    if (typed === null) return;
    if (suggestion.kind === 'query') {
      edit(suggestion.written, null);
      onSubmitQuery(suggestion.written);
      return;
    }
    const rest = text.slice(typed.to).replace(/^ /, '');
    const at = typed.from + suggestion.written.length;
    edit(text.slice(0, typed.from) + suggestion.written + rest, at);
    nextCaret.current = at;
  };
  const submit = () => {
    setCaret(null);
    onSubmitQuery(text.trim());
  };
  const showSuggestions = () => setCaret(input.current?.selectionStart ?? null);
  const onKey = keysOf({
    suggestions,
    active,
    // Without a choice, Tab takes the first suggestion, but only for something typed.
    isBegun: typed !== null && (typed.kind === 'value' || typed.prefix !== ''),
    setActive,
    accept,
    submit,
    showSuggestions,
    close: () => setCaret(null),
  });
  return {
    text,
    suggestions,
    active,
    edit,
    accept,
    submit,
    closeSuggestions: () => setCaret(null),
    onFocus: () => text === '' && setCaret(0),
    onKey,
  };
}

interface Keys {
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly isBegun: boolean;
  readonly setActive: (active: number) => void;
  readonly accept: (suggestion: Suggestion) => void;
  readonly submit: () => void;
  readonly showSuggestions: () => void;
  readonly close: () => void;
}

function keysOf(keys: Keys) {
  const { suggestions, active, isBegun, setActive, accept, submit, showSuggestions, close } = keys;
  const step = (to: number) => (suggestions.length === 0 ? showSuggestions() : setActive(to));
  return (event: KeyboardEvent) => {
    // Keys of an input method choose and accept characters; Safari only says so by the code 229.
    if (event.isComposing || event.keyCode === 229) return;
    const activeSuggestion = suggestions[active];
    switch (event.key) {
      case 'ArrowDown':
        event.preventDefault();
        step((active + 1) % suggestions.length);
        return;
      case 'ArrowUp':
        event.preventDefault();
        step(active <= 0 ? suggestions.length - 1 : active - 1);
        return;
      case ' ':
        if (!event.ctrlKey) return;
        event.preventDefault();
        showSuggestions();
        return;
      case 'Tab': {
        const taken = activeSuggestion ?? (isBegun ? suggestions[0] : undefined);
        if (taken === undefined || event.shiftKey) return;
        event.preventDefault();
        accept(taken);
        return;
      }
      case 'Enter':
        event.preventDefault();
        if (activeSuggestion === undefined) submit();
        else accept(activeSuggestion);
        return;
      case 'Escape':
        close();
        return;
    }
  };
}
