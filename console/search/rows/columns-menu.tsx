// The menu of columns: which fields are shown, in which order, and how wide. All of it works by
// keyboard.
import { useState } from 'preact/hooks';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useCell } from '../../ui/use-cell.ts';
import { labelOf } from '../kinds.ts';
import { useFields } from '../query/use-fields.ts';
import { columnsOf, defaultColumnsOf, type SearchState } from '../search-state.ts';
import {
  changeLayout,
  layoutName,
  layoutOf,
  layouts,
  setWidth,
  WIDTH_STEP_PX,
} from './table-layout.ts';

export interface ColumnsMenuProps {
  readonly state: SearchState;
  /** null: the default columns. */
  readonly onColumns: (columns: readonly string[] | null) => void;
}

const SHOWN_MAX = 40;
/** The width from which a column without one is changed. */
const USUAL_WIDTH_PX = 160;

export function ColumnsMenu(props: ColumnsMenuProps) {
  return (
    <Menu icon="columns" label="Columns">
      {() => <Chooser {...props} />}
    </Menu>
  );
}

function Chooser({ state, onColumns }: ColumnsMenuProps) {
  const [filter, setFilter] = useState('');
  const { index, rows } = state;
  const table = layoutName(index, rows);
  const columns = columnsOf(state);
  const fields = useFields(index);
  const defaults = defaultColumnsOf(state);
  const matching = fields
    // A row has one element, of one array.
    .filter(({ nested }) => rows === null || nested === null || nested === rows.path)
    .map(({ path }) => path)
    .filter((path) => !columns.includes(path) && path.toLowerCase().includes(filter.toLowerCase()));
  const choose = (next: readonly string[]) => {
    const isDefault =
      next.length === defaults.length && next.every((one, at) => one === defaults[at]);
    if (next.length > 0) onColumns(isDefault ? null : next);
  };
  const toggle = (path: string) =>
    choose(columns.includes(path) ? columns.filter((one) => one !== path) : [...columns, path]);
  return (
    <div class="columns-menu">
      <input
        type="search"
        aria-label="Find a field"
        placeholder="Find a field"
        value={filter}
        onInput={({ currentTarget }) => setFilter(currentTarget.value)}
      />
      <ul class="checks">
        {columns.map((path, at) => (
          <li key={path} class="column-shown">
            <Check path={path} isShown onToggle={() => toggle(path)} />
            <ColumnTools
              table={table}
              path={path}
              onLeft={at === 0 ? null : () => choose(swapped(columns, at - 1))}
              onRight={at === columns.length - 1 ? null : () => choose(swapped(columns, at))}
            />
          </li>
        ))}
        {matching.slice(0, SHOWN_MAX).map((path) => (
          <li key={path}>
            <Check path={path} isShown={false} onToggle={() => toggle(path)} />
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="button"
        onClick={() => {
          changeLayout(table, { widths: {} });
          onColumns(null);
        }}
      >
        Reset columns
      </button>
    </div>
  );
}

function Check({
  path,
  isShown,
  onToggle,
}: {
  path: string;
  isShown: boolean;
  onToggle: () => void;
}) {
  return (
    <label>
      <input type="checkbox" checked={isShown} onChange={onToggle} />
      <span>{path}</span>
    </label>
  );
}

interface ColumnToolsProps {
  readonly table: string;
  readonly path: string;
  /** null: the column is the first. */
  readonly onLeft: (() => void) | null;
  /** null: the column is the last. */
  readonly onRight: (() => void) | null;
}

function ColumnTools({ table, path, onLeft, onRight }: ColumnToolsProps) {
  const { widths } = layoutOf(useCell(layouts), table);
  const widen = (px: number) => () => setWidth(table, path, (widths[path] ?? USUAL_WIDTH_PX) + px);
  const name = labelOf(path);
  const tools: readonly [label: string, icon: IconName, work: (() => void) | null][] = [
    [`Narrow ${name}`, 'minus', widen(-WIDTH_STEP_PX)],
    [`Widen ${name}`, 'plus', widen(WIDTH_STEP_PX)],
    [`Move ${name} to the left`, 'leftwards', onLeft],
    [`Move ${name} to the right`, 'rightwards', onRight],
  ];
  return (
    <span class="column-tools">
      {tools.map(([label, icon, work]) => (
        <button
          key={label}
          type="button"
          class="button-icon"
          aria-label={label}
          title={label}
          disabled={work === null}
          onClick={() => work?.()}
        >
          <Icon name={icon} size={14} />
        </button>
      ))}
    </span>
  );
}

/** A list in which the item and the one after it have changed places. */
function swapped(columns: readonly string[], at: number): readonly string[] {
  const next = [...columns];
  next.splice(at, 2, ...columns.slice(at, at + 2).reverse());
  return next;
}
