// Fields of the filters above a table.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { TYPING_PAUSE_MS } from '../typing/typing-pause.ts';
import { useTypedText } from '../typing/use-typed-text.ts';

export interface WordsFieldProps {
  readonly label: string;
  /** As in the address. */
  readonly words: string;
  /** Called after a pause of the typing. */
  readonly onWords: (words: string) => void;
}

/** A text field, which the address follows after a pause. */
export function WordsField({ label, words, onWords }: WordsFieldProps) {
  const [typed, setTyped] = useTypedText(words);
  // Another filter may change the address during the pause.
  const latest = useRef(onWords);
  latest.current = onWords;
  // A layout effect: one after the frame would leave the timer of an earlier letter running, which
  // would set the address, and by it this field, without the last letter.
  useLayoutEffect(() => {
    if (typed.trim() === words) return;
    const timer = setTimeout(() => latest.current(typed.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, words]);
  return (
    <label class="field field-wide">
      <span>{label}</span>
      <input
        type="search"
        name="words"
        autoComplete="off"
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  );
}

export interface FilterSelectProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly onValue: (value: string) => void;
}

/** A select box with a label. */
export function FilterSelect({ label, value, choices, onValue }: FilterSelectProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {choices.map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
