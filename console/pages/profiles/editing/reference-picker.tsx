// Selects users or profiles to refer to, by a part of the name. What is selected is shown as chips,
// which can be removed.
import { useId, useState } from 'preact/hooks';
import { findProfiles, findUsers } from '../../../api/profiles-api.ts';
import type { Choice } from '../../../model/profiles/attributes.ts';
import { Icon } from '../../../ui/icon.tsx';
import { FaultNotice } from '../../../ui/notice.tsx';
import { useTypedWords } from '../../../ui/typing/typing-pause.ts';
import { useLoad } from '../../../ui/use-load.ts';

export interface ReferencePickerProps {
  /** The name of the field. */
  readonly label: string;
  readonly kind: 'user' | 'profile';
  /** The type of the profiles to offer; null for all. */
  readonly typeId: string | null;
  readonly takesSeveral: boolean;
  readonly chosen: readonly Choice[];
  readonly onChosen: (chosen: readonly Choice[]) => void;
  /** Id of the element with the fault of the field. */
  readonly faultId?: string;
}

export function ReferencePicker(props: ReferencePickerProps) {
  const { label, kind, takesSeveral, chosen, onChosen, faultId } = props;
  const [typed, setTyped] = useState('');
  const list = useId();
  const choose = (choice: Choice) => {
    const others = chosen.filter(({ value }) => value !== choice.value);
    onChosen(takesSeveral ? [...others, choice] : [choice]);
    setTyped('');
  };
  return (
    <div class="reference-picker">
      {chosen.length > 0 && (
        <ul class="chips" aria-label={`Selected: ${label}`}>
          {chosen.map((choice) => (
            <li key={choice.value}>
              <button
                type="button"
                class="chip"
                aria-label={`Remove ${choice.label} from ${label}`}
                onClick={() => onChosen(chosen.filter(({ value }) => value !== choice.value))}
              >
                {choice.label} <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        type="search"
        autoComplete="off"
        aria-label={label}
        aria-invalid={faultId !== undefined}
        aria-describedby={faultId}
        aria-controls={list}
        placeholder={placeholder(kind, chosen.length > 0, takesSeveral)}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={(event) => {
          // Enter would send the form.
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      <Matches {...props} id={list} typed={typed} onChoose={choose} />
    </div>
  );
}

interface MatchesProps extends ReferencePickerProps {
  readonly id: string;
  readonly typed: string;
  readonly onChoose: (choice: Choice) => void;
}

function Matches({ id, kind, typeId, label, chosen, typed, onChoose }: MatchesProps) {
  const words = useTypedWords(typed);
  const { value, fault, reload } = useLoad(
    words === '' || typed.trim() === '' ? null : words,
    (signal) => (kind === 'user' ? findUsers(words, signal) : findProfiles(words, typeId, signal)),
  );
  const matches = (value ?? []).filter(
    (match) => !chosen.some((choice) => choice.value === match.value),
  );
  if (fault !== null) return <FaultNotice fault={fault} reload={reload} />;
  return (
    <>
      <ul class="picker-list" id={id} aria-label={`Matches for ${label}`}>
        {matches.map((match) => (
          <li key={match.value}>
            <button type="button" onClick={() => onChoose(match)}>
              <span>{match.label}</span>
            </button>
          </li>
        ))}
      </ul>
      {value !== undefined && matches.length === 0 && (
        <p class="quiet" role="status">
          No other {kind === 'user' ? 'user' : 'profile'} has this name
        </p>
      )}
    </>
  );
}

function placeholder(kind: 'user' | 'profile', hasChosen: boolean, takesSeveral: boolean): string {
  const noun = kind === 'user' ? 'user' : 'profile';
  if (!hasChosen) return `Find a ${noun} by name`;
  return takesSeveral ? `Add a ${noun}` : `Find another ${noun}`;
}
