// The box a query is typed into: a plain input whose letters are painted by a coloured copy behind it. It offers names
// and values to complete, and marks the character that a fault is about.
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { IndexName } from '../../src/query/query.ts';
import { Icon } from '../ui/icon.tsx';
import { piecesOf } from './highlight.ts';
import type { QueryFault } from './query-fault.ts';
import { useDraft } from './use-draft.ts';
import type { Offer } from './use-offers.ts';

export interface QueryBoxProps {
  readonly index: IndexName;
  /** The query that was asked last. */
  readonly query: string;
  /** What is wrong with that query. */
  readonly fault: QueryFault | null;
  readonly onAsk: (query: string) => void;
}

export function QueryBox({ index, query, fault, onAsk }: QueryBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const draft = useDraft(index, query, input, onAsk);
  const { text, offers, active } = draft;
  const list = useId();
  const isOpen = offers.length > 0;
  const shownFault = text.trim() === query ? fault : null;
  return (
    <search class="query-box">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          draft.ask();
        }}
      >
        <div class="query-field" data-fault={shownFault !== null}>
          <Icon name="search" />
          <Painted draft={text} fault={shownFault} input={input}>
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
              placeholder="Search everything, or say where: attributes.department:Sales AND inactive:false"
              autoComplete="off"
              autoCapitalize="off"
              spellcheck={false}
              maxLength={32_768}
              value={text}
              onInput={(event) =>
                draft.edit(event.currentTarget.value, event.currentTarget.selectionStart)
              }
              onKeyDown={draft.onKey}
              onBlur={draft.closeOffers}
            />
          </Painted>
          {text !== '' && (
            <button
              type="button"
              class="button-icon"
              aria-label="Clear the query"
              onClick={() => {
                draft.edit('', null);
                onAsk('');
                input.current?.focus();
              }}
            >
              <Icon name="close" size={16} />
            </button>
          )}
          <button type="submit" class="button button-main">
            Search
          </button>
        </div>
      </form>
      <Offers offers={offers} list={list} active={active} accept={draft.accept} />
      {shownFault !== null && (
        <FaultBelow fault={shownFault} id={`${list}-fault`} query={query} input={input} />
      )}
    </search>
  );
}

function Painted({
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
  const paint = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    const element = input.current;
    const follow = () => paint.current?.scrollTo(element?.scrollLeft ?? 0, 0);
    element?.addEventListener('scroll', follow);
    return () => element?.removeEventListener('scroll', follow);
  }, [input]);
  return (
    <div class="query-paint">
      <pre aria-hidden="true" ref={paint}>
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

function Offers({
  offers,
  list,
  active,
  accept,
}: {
  offers: readonly Offer[];
  list: string;
  active: number;
  accept: (offer: Offer) => void;
}) {
  return (
    <div
      class="offers"
      hidden={offers.length === 0}
      role="listbox"
      id={list}
      aria-label="Completions"
    >
      {offers.map((offer, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys, as a combobox has
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input, as in a combobox
        <div
          key={offer.written}
          id={`${list}-${at}`}
          role="option"
          aria-selected={at === active}
          class="offer"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => accept(offer)}
        >
          <span>{offer.shown}</span>
          <span class="quiet">{offer.hint}</span>
        </div>
      ))}
    </div>
  );
}

interface FaultBelowProps {
  readonly fault: QueryFault;
  readonly id: string;
  readonly query: string;
  readonly input: { readonly current: HTMLInputElement | null };
}

/** Stands below the marked character: the letters before it are written again, invisibly, to take the same room. */
function FaultBelow({ fault, id, query, input }: FaultBelowProps) {
  const room = useRef<HTMLPreElement>(null);
  const caret = useRef<HTMLSpanElement>(null);
  // A query may be longer than the box: then the place is scrolled to.
  useLayoutEffect(() => {
    const line = room.current;
    if (line === null || caret.current === null) return;
    const left = Math.max(0, caret.current.offsetLeft - line.offsetLeft - line.clientWidth / 2);
    line.scrollLeft = left;
    if (input.current !== null) input.current.scrollLeft = left;
  }, [fault, input]);
  return (
    <div class="query-fault" role="alert" id={id}>
      <pre aria-hidden="true" ref={room}>
        <span class="query-fault-room">{query.slice(0, fault.offset)}</span>
        <span ref={caret}>^</span>
      </pre>
      <p>
        {fault.sentence}
        <span class="quiet"> (character {fault.offset + 1})</span>
      </p>
    </div>
  );
}
