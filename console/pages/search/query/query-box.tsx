// The query box: a plain input with transparent letters over a highlighted copy of its text. It
// suggests names and values, and marks the character of a syntax error.
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { IndexName } from '../../../../src/query/query.ts';
import { piecesOf } from '../../../model/highlight.ts';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import { areKeysOn } from '../../../ui/keyboard/single-keys.ts';
import { queryFocus } from '../../../ui/shortcuts.ts';
import { useCell } from '../../../ui/use-cell.ts';
import type { QueryFault } from './query-fault.ts';
import { useDraft } from './use-draft.ts';
import type { Suggestion } from './use-suggestions.ts';

export interface QueryBoxProps {
  readonly index: IndexName;
  /** The query that was submitted last. */
  readonly query: string;
  /** The syntax error of that query. */
  readonly fault: QueryFault | null;
  readonly onSubmitQuery: (query: string) => void;
}

export function QueryBox({ index, query, fault, onSubmitQuery }: QueryBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const draft = useDraft(index, query, input, onSubmitQuery);
  const { text, suggestions, active } = draft;
  const list = useId();
  const areKeysUsed = useCell(areKeysOn);
  useLayoutEffect(() => {
    // At once, not with the next frame: letters typed right after the key belong into the box.
    const takeFocus = () => {
      if (!queryFocus.get()) return;
      queryFocus.set(false);
      input.current?.focus();
      input.current?.select();
    };
    takeFocus();
    return queryFocus.watch(takeFocus);
  }, []);
  const isOpen = suggestions.length > 0;
  const shownFault = text.trim() === query ? fault : null;
  return (
    <search class="query-box">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          draft.submit();
        }}
      >
        <div class="query-field" data-fault={shownFault !== null}>
          <Icon name="search" />
          <Highlighted draft={text} fault={shownFault} input={input}>
            <input
              ref={input}
              class="query-input"
              type="text"
              role="combobox"
              aria-label="Query"
              aria-expanded={isOpen}
              aria-controls={list}
              aria-autocomplete="list"
              aria-activedescendant={isOpen && active >= 0 ? `${list}-${active}` : undefined}
              aria-invalid={shownFault !== null}
              aria-describedby={shownFault === null ? undefined : `${list}-fault`}
              placeholder="Search all fields, or name one: attributes.department:Sales AND inactive:false"
              autoComplete="off"
              autoCapitalize="off"
              spellcheck={false}
              maxLength={32_768}
              value={text}
              onInput={(event) =>
                draft.edit(event.currentTarget.value, event.currentTarget.selectionStart)
              }
              onKeyDown={draft.onKey}
              onFocus={draft.onFocus}
              onClick={draft.onFocus}
              onBlur={draft.closeSuggestions}
            />
          </Highlighted>
          {text !== '' && (
            <button
              type="button"
              class="button-icon"
              aria-label="Clear query"
              onClick={() => {
                draft.edit('', 0);
                onSubmitQuery('');
                input.current?.focus();
              }}
            >
              <Icon name="close" size={16} />
            </button>
          )}
          {text === '' && areKeysUsed && (
            <span aria-hidden="true" class="key query-key">
              /
            </span>
          )}
          <button type="submit" class="button button-main">
            Search
          </button>
        </div>
      </form>
      <Suggestions suggestions={suggestions} list={list} active={active} accept={draft.accept} />
      {shownFault !== null && (
        <FaultMessage fault={shownFault} id={`${list}-fault`} query={query} input={input} />
      )}
    </search>
  );
}

function Highlighted({
  draft,
  fault,
  input,
  children,
}: {
  draft: string;
  fault: QueryFault | null;
  input: { readonly current: HTMLInputElement | null };
  children: preact.ComponentChildren;
}) {
  const copy = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    const element = input.current;
    const syncScroll = () => copy.current?.scrollTo(element?.scrollLeft ?? 0, 0);
    element?.addEventListener('scroll', syncScroll);
    return () => element?.removeEventListener('scroll', syncScroll);
  }, [input]);
  return (
    <div class="query-paint">
      <pre aria-hidden="true" ref={copy}>
        {piecesOf(draft).map(({ kind, text, start }) =>
          fault !== null && start <= fault.offset && fault.offset < start + text.length ? (
            <span class={`piece-${kind}`} key={start}>
              {text.slice(0, fault.offset - start)}
              <mark>{text.slice(fault.offset - start, fault.offset - start + 1)}</mark>
              {text.slice(fault.offset - start + 1)}
            </span>
          ) : (
            <span class={`piece-${kind}`} key={start}>
              {text}
            </span>
          ),
        )}
        {fault !== null && fault.offset >= draft.length && <mark> </mark>}
      </pre>
      {children}
    </div>
  );
}

const SUGGESTION_ICONS: Readonly<Record<Suggestion['kind'], IconName>> = {
  name: 'columns',
  value: 'check',
  clause: 'filter',
  query: 'clock',
};

function Suggestions({
  suggestions,
  list,
  active,
  accept,
}: {
  suggestions: readonly Suggestion[];
  list: string;
  active: number;
  accept: (suggestion: Suggestion) => void;
}) {
  return (
    <div
      class="suggestions"
      hidden={suggestions.length === 0}
      role="listbox"
      id={list}
      aria-label="Completions"
    >
      {suggestions.map((suggestion, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input
        <div
          key={`${suggestion.kind} ${suggestion.written}`}
          id={`${list}-${at}`}
          role="option"
          aria-selected={at === active}
          class={`suggestion suggestion-${suggestion.kind}`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => accept(suggestion)}
        >
          <Icon name={SUGGESTION_ICONS[suggestion.kind]} size={15} />
          <span class="suggestion-text">{suggestion.shown}</span>
          <span class="quiet">{suggestion.hint}</span>
          {at === 0 && active < 0 && suggestion.kind !== 'query' && (
            <span aria-hidden="true" class="key">
              Tab
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

interface FaultMessageProps {
  readonly fault: QueryFault;
  readonly id: string;
  readonly query: string;
  readonly input: { readonly current: HTMLInputElement | null };
}

/** Shows a caret below the marked character, after an invisible copy of the text before it. */
function FaultMessage({ fault, id, query, input }: FaultMessageProps) {
  const line = useRef<HTMLPreElement>(null);
  const caret = useRef<HTMLSpanElement>(null);
  // A query may be longer than the box, so scroll to the marked character.
  useLayoutEffect(() => {
    const element = line.current;
    if (element === null || caret.current === null) return;
    const left = Math.max(
      0,
      caret.current.offsetLeft - element.offsetLeft - element.clientWidth / 2,
    );
    element.scrollLeft = left;
    if (input.current !== null) input.current.scrollLeft = left;
  }, [fault, input]);
  return (
    <div class="query-fault" role="alert" id={id}>
      <pre aria-hidden="true" ref={line}>
        <span class="query-fault-room">{query.slice(0, fault.offset)}</span>
        <span ref={caret}>^</span>
      </pre>
      <p>
        {fault.message}
        <span class="quiet"> (character {fault.offset + 1})</span>
      </p>
    </div>
  );
}
