// The select box of the sort: by relevance or by a column.
import { labelOf } from './kinds.ts';

export interface SortMenuProps {
  /** The sort in effect; '': by relevance. */
  readonly sort: string;
  /** The sort without a choice. */
  readonly automatic: string;
  readonly columns: readonly string[];
  /** @param sort null: without a choice */
  readonly onSort: (sort: string | null) => void;
}

export function SortMenu({ sort, automatic, columns, onSort }: SortMenuProps) {
  const field = sort.replace(/^-/, '');
  const fields = [...new Set([...columns, ...(field === '' ? [] : [field])])];
  return (
    <label class="select">
      <span class="select-label">Sort by</span>
      <select
        value={sort}
        onChange={({ currentTarget: { value } }) => onSort(value === automatic ? null : value)}
      >
        <option value="">Best match</option>
        {fields.flatMap((column) => [
          <option key={column} value={column}>{`${labelOf(column)} ↑`}</option>,
          <option key={`-${column}`} value={`-${column}`}>{`${labelOf(column)} ↓`}</option>,
        ])}
      </select>
    </label>
  );
}
