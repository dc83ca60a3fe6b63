// The menu of the columns of a table: which are shown, and in which order. All of it works by
// keyboard.
import { useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';

/** A column that a table can show. */
export interface ColumnName {
  readonly key: string;
  readonly label: string;
}

export interface ColumnChooserProps {
  /** All that can be shown. */
  readonly all: readonly ColumnName[];
  /** Keys of the shown ones, in their order. */
  readonly shown: readonly string[];
  /** null: the default columns. */
  readonly onShown: (keys: readonly string[] | null) => void;
}

export function ColumnChooser(props: ColumnChooserProps) {
  return (
    <Menu icon="columns" label="Columns">
      {() => <Chooser {...props} />}
    </Menu>
  );
}

function Chooser({ all, shown, onShown }: ColumnChooserProps) {
  const [words, setWords] = useState('');
  const labels = new Map(all.map(({ key, label }) => [key, label]));
  const others = all.filter(
    ({ key, label }) =>
      !shown.includes(key) && label.toLowerCase().includes(words.trim().toLowerCase()),
  );
  const move = (at: number) => {
    const next = [...shown];
    next.splice(at, 2, ...shown.slice(at, at + 2).reverse());
    onShown(next);
  };
  return (
    <div class="columns-menu">
      <input
        type="search"
        aria-label="Find a column"
        placeholder="Find a column"
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <ul class="checks">
        {shown.map((key, at) => (
          <li key={key} class="column-shown">
            <Check
              label={labels.get(key) ?? key}
              isShown
              isFixed={shown.length === 1}
              onToggle={() => onShown(shown.filter((one) => one !== key))}
            />
            <span class="column-tools">
              <MoveButton
                label={`Move ${labels.get(key) ?? key} to the left`}
                icon="leftwards"
                onMove={at === 0 ? null : () => move(at - 1)}
              />
              <MoveButton
                label={`Move ${labels.get(key) ?? key} to the right`}
                icon="rightwards"
                onMove={at === shown.length - 1 ? null : () => move(at)}
              />
            </span>
          </li>
        ))}
        {others.map(({ key, label }) => (
          <li key={key}>
            <Check
              label={label}
              isShown={false}
              isFixed={false}
              onToggle={() => onShown([...shown, key])}
            />
          </li>
        ))}
      </ul>
      <button type="button" class="button" onClick={() => onShown(null)}>
        Reset columns
      </button>
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isShown: boolean;
  /** The last column stays. */
  readonly isFixed: boolean;
  readonly onToggle: () => void;
}

function Check({ label, isShown, isFixed, onToggle }: CheckProps) {
  return (
    <label>
      <input type="checkbox" checked={isShown} disabled={isFixed} onChange={onToggle} />
      <span>{label}</span>
    </label>
  );
}

interface MoveButtonProps {
  readonly label: string;
  readonly icon: 'leftwards' | 'rightwards';
  /** null: it is at the end already. */
  readonly onMove: (() => void) | null;
}

function MoveButton({ label, icon, onMove }: MoveButtonProps) {
  return (
    <button
      type="button"
      class="button-icon"
      aria-label={label}
      title={label}
      disabled={onMove === null}
      onClick={() => onMove?.()}
    >
      <Icon name={icon} size={14} />
    </button>
  );
}
