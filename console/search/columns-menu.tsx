// The menu of columns: the default ones, and any other field of the index.
import { useState } from 'preact/hooks';
import type { IndexName } from '../../src/query/query.ts';
import { Menu } from '../ui/menu.tsx';
import { kindOf } from './kinds.ts';
import { useFields } from './use-fields.ts';

export interface ColumnsMenuProps {
  readonly index: IndexName;
  readonly columns: readonly string[];
  /** null: the default columns. */
  readonly onColumns: (columns: readonly string[] | null) => void;
}

const SHOWN_MAX = 40;

export function ColumnsMenu(props: ColumnsMenuProps) {
  return (
    <Menu icon="columns" label="Columns">
      {() => <Chooser {...props} />}
    </Menu>
  );
}

function Chooser({ index, columns, onColumns }: ColumnsMenuProps) {
  const [filter, setFilter] = useState('');
  const fields = useFields(index);
  const defaults = kindOf(index).columns;
  const matching = fields
    .map(({ path }) => path)
    .filter((path) => !columns.includes(path) && path.toLowerCase().includes(filter.toLowerCase()));
  const toggle = (path: string) => {
    const next = columns.includes(path)
      ? columns.filter((one) => one !== path)
      : [...columns, path];
    const isDefault =
      next.length === defaults.length && next.every((one, at) => one === defaults[at]);
    if (next.length > 0) onColumns(isDefault ? null : next);
  };
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
        {[...columns, ...matching.slice(0, SHOWN_MAX)].map((path) => (
          <li key={path}>
            <label>
              <input
                type="checkbox"
                checked={columns.includes(path)}
                onChange={() => toggle(path)}
              />
              <span>{path}</span>
            </label>
          </li>
        ))}
      </ul>
      <button type="button" class="button" onClick={() => onColumns(null)}>
        Reset columns
      </button>
    </div>
  );
}
