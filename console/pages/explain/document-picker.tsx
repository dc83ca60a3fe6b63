// Finds one document by a part of its name, as the user types: Enter picks the only match, the arrow
// keys move between several.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { IndexName } from '../../../src/query/query.ts';
import { search } from '../../api/search-api.ts';
import { firstText, instantText } from '../../model/document-value.ts';
import { kindOf } from '../../model/kinds.ts';
import type { Document } from '../../model/wire.ts';
import { useOneStop } from '../../ui/keyboard/one-stop.ts';
import { FaultNotice } from '../../ui/notice.tsx';
import { useTypedWords } from '../../ui/typing/typing-pause.ts';
import { useLoad } from '../../ui/use-load.ts';
import { Avatar } from '../../ui/values/avatar.tsx';

/** A document that was picked. */
export interface Picked {
  readonly id: string;
  readonly title: string;
}

export interface DocumentPickerProps {
  readonly index: IndexName;
  /** What happens with the document. */
  readonly hint?: string;
  /** A search whose hits are offered as long as nothing is typed. */
  readonly suggested?: { readonly label: string; readonly query: string };
  readonly onPick: (picked: Picked) => void;
}

const HINT = 'Each condition of your search is then compared with the actual values.';
const SHOWN_MAX = 8;
const NAMES: Readonly<Record<IndexName, readonly string[]>> = {
  identities: ['displayName', 'name', 'email', 'id'],
  accessprofiles: ['name', 'id'],
  roles: ['name', 'id'],
  entitlements: ['name', 'displayName', 'id'],
  events: ['name', 'target.name', 'actor.name', 'id'],
  accountactivities: ['action', 'recipient.name', 'requester.name', 'id'],
};

export function DocumentPicker({ index, hint = HINT, suggested, onPick }: DocumentPickerProps) {
  const [typed, setTyped] = useState('');
  const words = useTypedWords(typed);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const suggestions = suggested === undefined ? null : suggestionsFor(index, suggested.query);
  const body = words === '' ? suggestions : bodyFor(index, words);
  const { value, key, fault, reload } = useLoad(
    body === null ? null : JSON.stringify(body),
    async (signal) => (await search(body ?? {}, { limit: SHOWN_MAX }, signal)).hits,
  );
  // Suggestions disappear with the first letter, results stay until newer ones are there.
  const isSuggesting = suggestions !== null && typed.trim() === '' && words === '';
  const isSuggestion = suggestions !== null && key === JSON.stringify(suggestions);
  const hits = isSuggesting === isSuggestion ? (value ?? []) : [];
  // Enter may come before the hits of what was typed.
  const isCurrent = words === typed.trim() && body !== null && key === JSON.stringify(body);
  const [isEntered, setEntered] = useState(false);
  const [only, other] = hits;
  const isChosen = isEntered && isCurrent;
  const pick = (hit: Document) => onPick({ id: String(hit['id']), title: titleOf(hit) });
  const latest = useRef(pick);
  latest.current = pick;
  useEffect(() => {
    if (!isChosen) return;
    setEntered(false);
    if (only !== undefined && other === undefined) latest.current(only);
  }, [isChosen, only, other]);
  const list = useOneStop<HTMLUListElement>('button');
  const { singular } = kindOf(index);
  return (
    <div class="picker">
      <label class="field">
        <span>
          {index === 'identities' ? 'Name or email of the person' : `${singular} by name`}
        </span>
        <input
          ref={input}
          type="search"
          autoComplete="off"
          value={typed}
          onInput={({ currentTarget }) => {
            setEntered(false);
            setTyped(currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') setEntered(true);
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            list.ref.current?.querySelector('button')?.focus();
          }}
        />
      </label>
      <p class="quiet">{hint}</p>
      {fault !== null && <FaultNotice fault={fault} reload={reload} />}
      {words !== '' && !isSuggestion && value?.length === 0 && (
        <p role="status">Nothing has this name.</p>
      )}
      {isSuggesting && hits.length > 0 && <h3>{suggested?.label}</h3>}
      <ul class="picker-list" aria-label="Matches" {...list}>
        {hits.map((hit) => (
          <li key={String(hit['id'])}>
            <button type="button" onClick={() => pick(hit)}>
              <Avatar name={titleOf(hit)} />
              <span>
                <strong>{titleOf(hit)}</strong>
                <span class="quiet">{subtitleOf(hit)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function bodyFor(index: IndexName, words: string) {
  return {
    indices: [index],
    queryType: 'TEXT',
    textQuery: { terms: words.split(/\s+/), fields: NAMES[index], contains: true },
    includeNested: false,
  };
}

function suggestionsFor(index: IndexName, query: string) {
  return {
    indices: [index],
    query: { query },
    sort: [kindOf(index).sort, 'id'],
    includeNested: false,
  };
}

function titleOf(hit: Document): string {
  return firstText(hit, 'displayName', 'name', 'action', 'id');
}

function subtitleOf(hit: Document): string {
  const created = firstText(hit, 'created');
  return [
    firstText(hit, 'attributes.jobTitle', 'description', 'recipient.name', 'target.name'),
    firstText(hit, 'email', 'source.name'),
    ...(hit['attributes'] === undefined && created !== '' ? [instantText(created)] : []),
  ]
    .filter((text) => text !== '')
    .join(' · ');
}
