// The capabilities of a user: those held first, then those that can be added, with a filter.
import { useState } from 'preact/hooks';
import { type CapabilityRow, capabilityRows, isNamed } from '../../model/capability-change.ts';
import { useOneStop } from '../../ui/keyboard/one-stop.ts';

export interface CapabilityListProps {
  /** As stored. */
  readonly held: readonly string[];
  /** As chosen on the page. */
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
}

export function CapabilityList({ held, chosen, onToggle }: CapabilityListProps) {
  const [words, setWords] = useState('');
  const rows = capabilityRows(held).filter((row) => isNamed(row, words.trim()));
  const groups = [
    { title: 'Held', rows: rows.filter(({ name }) => held.includes(name)) },
    { title: 'Available', rows: rows.filter(({ name }) => !held.includes(name)) },
  ];
  return (
    <section aria-label="Capabilities">
      <div class="capabilities-head">
        <h2>
          Capabilities <span class="quiet">{held.length}</span>
        </h2>
        <input
          type="search"
          aria-label="Find a capability"
          placeholder="Find a capability"
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      </div>
      {groups.map(({ title, rows: shown }) => (
        <section key={title} aria-label={title}>
          <h3 class="capabilities-title">
            {title} <span class="quiet">{shown.length}</span>
          </h3>
          {shown.length === 0 && (
            <p class="quiet">
              {words !== '' ? 'None with this name' : 'None. Select one below, then apply.'}
            </p>
          )}
          <Capabilities rows={shown} held={held} chosen={chosen} onToggle={onToggle} />
        </section>
      ))}
    </section>
  );
}

/** The capabilities of a group, which are one stop of the Tab key. */
function Capabilities({
  rows,
  held,
  chosen,
  onToggle,
}: CapabilityListProps & { readonly rows: readonly CapabilityRow[] }) {
  const stop = useOneStop<HTMLUListElement>('input');
  return (
    <ul class="capabilities" hidden={rows.length === 0} {...stop}>
      {rows.map((row) => (
        <Capability
          key={row.name}
          row={row}
          isHeld={held.includes(row.name)}
          isChosen={chosen.has(row.name)}
          onToggle={() => onToggle(row.name)}
        />
      ))}
    </ul>
  );
}

interface CapabilityProps {
  readonly row: CapabilityRow;
  readonly isHeld: boolean;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
}

function Capability({ row, isHeld, isChosen, onToggle }: CapabilityProps) {
  const { name, title, grants, assignable } = row;
  const state = isHeld === isChosen ? '' : isChosen ? 'added' : 'removed';
  return (
    <li class="capability" data-change={state}>
      <label>
        <input
          type="checkbox"
          checked={isChosen}
          disabled={!assignable && !isHeld}
          onChange={onToggle}
        />
        <span class="capability-title">{title}</span>
        {title !== name && <code class="capability-name">{name}</code>}
        {state !== '' && (
          <span class="chip">{state === 'added' ? 'will be added' : 'will be removed'}</span>
        )}
      </label>
      <p class="quiet">
        {assignable
          ? grants.join(' · ') || 'Not used by Cardea; other applications may read it'
          : 'Cannot be assigned'}
      </p>
    </li>
  );
}
