// A query while it is typed: its text, what is offered at the caret, and what the keys do. The focus stays in the
// input all the while, as it does in a combobox.
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { IndexName } from '../../src/query/query.ts';
import { typedAt } from './completion.ts';
import { useFields } from './use-fields.ts';
import { type Offer, useOffers } from './use-offers.ts';

export interface Draft {
  readonly text: string;
  readonly offers: readonly Offer[];
  /** Which offer the arrows have chosen; -1: none. */
  readonly active: number;
  /** @param caret where it is now; null: nothing is to be offered */
  edit(text: string, caret: number | null): void;
  accept(offer: Offer): void;
  ask(): void;
  closeOffers(): void;
  onKey(event: KeyboardEvent): void;
}

/** @param query the query that was asked last, which the draft begins with */
export function useDraft(
  index: IndexName,
  query: string,
  input: RefObject<HTMLInputElement | null>,
  onAsk: (query: string) => void,
): Draft {
  const [text, setText] = useState(query);
  const [caret, setCaret] = useState<number | null>(null);
  const [active, setActive] = useState(-1);
  const typed = caret === null ? null : typedAt(text, caret);
  const offers = useOffers(index, useFields(index), typed);
  useEffect(() => setText(query), [query]);
  // Before the next key is pressed, the caret is behind what was completed.
  const placed = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (placed.current === null) return;
    input.current?.focus();
    input.current?.setSelectionRange(placed.current, placed.current);
    placed.current = null;
  });
  const edit = (next: string, at: number | null) => {
    setText(next);
    setCaret(at);
    setActive(-1);
  };
  const accept = (offer: Offer) => {
    if (typed === null) return;
    const rest = text.slice(typed.to).replace(/^ /, '');
    const at = typed.from + offer.written.length;
    edit(text.slice(0, typed.from) + offer.written + rest, at);
    placed.current = at;
  };
  const ask = () => {
    setCaret(null);
    onAsk(text.trim());
  };
  const offerHere = () => setCaret(input.current?.selectionStart ?? null);
  const onKey = keysOf({
    offers,
    active,
    setActive,
    accept,
    ask,
    offerHere,
    close: () => setCaret(null),
  });
  return { text, offers, active, edit, accept, ask, closeOffers: () => setCaret(null), onKey };
}

interface Keys {
  readonly offers: readonly Offer[];
  readonly active: number;
  readonly setActive: (active: number) => void;
  readonly accept: (offer: Offer) => void;
  readonly ask: () => void;
  readonly offerHere: () => void;
  readonly close: () => void;
}

function keysOf({ offers, active, setActive, accept, ask, offerHere, close }: Keys) {
  const step = (to: number) => (offers.length === 0 ? offerHere() : setActive(to));
  return (event: KeyboardEvent) => {
    const chosen = offers[active];
    switch (event.key) {
      case 'ArrowDown':
        event.preventDefault();
        step((active + 1) % offers.length);
        return;
      case 'ArrowUp':
        event.preventDefault();
        step(active <= 0 ? offers.length - 1 : active - 1);
        return;
      case ' ':
        if (!event.ctrlKey) return;
        event.preventDefault();
        offerHere();
        return;
      case 'Tab':
      case 'Enter':
        if (chosen === undefined && event.key === 'Tab') return;
        event.preventDefault();
        if (chosen === undefined) ask();
        else accept(chosen);
        return;
      case 'Escape':
        close();
        return;
    }
  };
}
