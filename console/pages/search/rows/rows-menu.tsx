// The choice of what a row is: a document, or an element of one of its arrays, such as an account.
import type { IndexName } from '../../../../src/query/query.ts';
import { arraysOf } from '../../../model/field-catalogue.ts';
import { kindOf, labelOf } from '../../../model/kinds.ts';
import type { ElementRows } from '../../../model/search-state.ts';

export interface RowsMenuProps {
  readonly index: IndexName;
  /** null: documents. */
  readonly rows: ElementRows | null;
  readonly onRows: (rows: ElementRows | null) => void;
}

export function RowsMenu({ index, rows, onRows }: RowsMenuProps) {
  const arrays = arraysOf(index);
  if (arrays.length === 0) return null;
  return (
    <label class="select">
      <span class="select-label">Rows are</span>
      <select
        value={optionOf(rows)}
        onChange={({ currentTarget: { value } }) => onRows(rowsOf(value))}
      >
        <option value="">{kindOf(index).plural}</option>
        <optgroup label="Matching elements">
          {arrays.map((path) => (
            <option key={path} value={path}>
              {labelOf(path)}
            </option>
          ))}
        </optgroup>
        <optgroup label="All elements">
          {arrays.map((path) => (
            <option key={path} value={`${path} all`}>{`All ${labelOf(path).toLowerCase()}`}</option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}

function optionOf(rows: ElementRows | null): string {
  if (rows === null) return '';
  return rows.elements === 'all' ? `${rows.path} all` : rows.path;
}

function rowsOf(value: string): ElementRows | null {
  if (value === '') return null;
  const [path = '', all] = value.split(' ');
  return { path, elements: all === undefined ? 'matching' : 'all' };
}
