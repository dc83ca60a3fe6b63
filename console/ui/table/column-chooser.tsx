// The menu of the columns of a table: which are shown, and in which order. All of it works by
// keyboard.
import { useState } from 'preact/hooks';
import { Button } from '../forms/button.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { Menu } from '../menu.tsx';

/** A column that a table can show. */
export interface ColumnName {
  readonly key: string;
  readonly label: string;
  /** The head of the column, where it differs from the label. */
  readonly head?: string;
}

/** A button of a shown column. */
export interface ColumnTool {
  readonly label: string;
  readonly icon: IconName;
  /** null: the button is idle. */
  readonly work: (() => void) | null;
}

export interface ColumnListProps {
  /** All that can be shown. */
  readonly all: readonly ColumnName[];
  /** Keys of the shown ones, in their order. */
  readonly shown: readonly string[];
  /** null: the default columns. */
  readonly onShown: (keys: readonly string[] | null) => void;
  /** What a column is called; `column` by default. */
  readonly noun?: string;
  /** Most hidden columns to offer; the others are found by name. */
  readonly hiddenMax?: number;
  /** More buttons of a shown column, before those that move it. */
  readonly toolsOf?: (column: ColumnName) => readonly ColumnTool[];
}

export function ColumnChooser(props: ColumnListProps) {
  return (
    <Menu icon="columns" label="Columns">
      {() => <ColumnList {...props} />}
    </Menu>
  );
}

/** The content of the menu. */
export function ColumnList(props: ColumnListProps) {
  const { all, shown, onShown, noun = 'column', hiddenMax, toolsOf = () => [] } = props;
  const [words, setWords] = useState('');
  const byKey = new Map(all.map((column) => [column.key, column]));
  const searched = words.trim().toLowerCase();
  const hidden = all.filter(
    ({ key, label }) => !shown.includes(key) && label.toLowerCase().includes(searched),
  );
  return (
    <div class="columns-menu">
      <input
        type="search"
        aria-label={`Find a ${noun}`}
        placeholder={`Find a ${noun}`}
        value={words}
        onInput={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <ul class="checks">
        {/* One list, in which a column that is chosen keeps its checkbox and so the focus. */}
        {[...shown, ...hidden.slice(0, hiddenMax).map(({ key }) => key)].map((key, at) => {
          const column = byKey.get(key) ?? { key, label: key };
          const isShown = at < shown.length;
          const toggled = isShown ? shown.filter((one) => one !== key) : [...shown, key];
          return (
            <li key={key} class={isShown ? 'column-shown' : undefined}>
              <Check
                label={column.label}
                isShown={isShown}
                isFixed={isShown && shown.length === 1}
                onToggle={() => onShown(toggled)}
              />
              {isShown && (
                <ColumnTools tools={[...toolsOf(column), ...movers(column, at, shown, onShown)]} />
              )}
            </li>
          );
        })}
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

function movers(
  { label, head = label }: ColumnName,
  at: number,
  shown: readonly string[],
  onShown: ColumnListProps['onShown'],
): readonly ColumnTool[] {
  return [
    {
      ...{ label: `Move ${head} to the left`, icon: 'leftwards' },
      work: at === 0 ? null : () => onShown(swapped(shown, at - 1)),
    },
    {
      ...{ label: `Move ${head} to the right`, icon: 'rightwards' },
      work: at === shown.length - 1 ? null : () => onShown(swapped(shown, at)),
    },
  ];
}

function ColumnTools({ tools }: { tools: readonly ColumnTool[] }) {
  return (
    <span class="column-tools">
      {tools.map(({ label, icon, work }) => (
        <Button
          key={label}
          class="button-icon"
          aria-label={label}
          title={label}
          isIdle={work === null}
          onClick={() => work?.()}
        >
          <Icon name={icon} size={14} />
        </Button>
      ))}
    </span>
  );
}

/** A list in which the item and the one after it have changed places. */
function swapped(keys: readonly string[], at: number): readonly string[] {
  const next = [...keys];
  next.splice(at, 2, ...keys.slice(at, at + 2).reverse());
  return next;
}
