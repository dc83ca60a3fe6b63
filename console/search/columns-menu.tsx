// Which columns the rows have: those that are usual, and any other field the documents know.
import { useState } from 'preact/hooks';
import type { IndexName } from '../../src/query/query.ts';
import { Menu } from '../ui/menu.tsx';
import { kindOf } from './kinds.ts';
import { useFields } from './use-fields.ts';

export interface ColumnsMenuProps {
  readonly index: IndexName;
  readonly columns: readonly string[];
  /** null: the usual ones. */
  readonly onColumns: (columns: readonly string[] | null) => void;
}

const MOST = 40;

export function ColumnsMenu(props: ColumnsMenuProps) {
  return (
    <Menu icon="columns" label="Columns">
      {() => <Chooser {...props} />}
    </Menu>
  );
}

function Chooser({ index, columns, onColumns }: ColumnsMenuProps) {
  const [wanted, setWanted] = useState('');
  const fields = useFields(index);
  const usual = kindOf(index).columns;
  const found = fields
    .map(({ path }) => path)
    .filter((path) => !columns.includes(path) && path.toLowerCase().includes(wanted.toLowerCase()));
  const toggle = (path: string) => {
    const next = columns.includes(path)
      ? columns.filter((one) => one !== path)
      : [...columns, path];
    const isUsual = next.length === usual.length && next.every((one, at) => one === usual[at]);
    if (next.length > 0) onColumns(isUsual ? null : next);
  };
  return (
    <div class="columns-menu">
      <input
        type="search"
        aria-label="Find a field"
        placeholder="Find a field"
        value={wanted}
        onInput={({ currentTarget }) => setWanted(currentTarget.value)}
      />
      <ul class="checks">
        {[...columns, ...found.slice(0, MOST)].map((path) => (
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
