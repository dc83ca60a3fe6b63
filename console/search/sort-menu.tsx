// The select box of the sort: by relevance or by a column.
import { labelOf } from './kinds.ts';

export interface SortMenuProps {
  readonly sort: string;
  readonly columns: readonly string[];
  readonly onSort: (sort: string) => void;
}

export function SortMenu({ sort, columns, onSort }: SortMenuProps) {
  const field = sort.replace(/^-/, '');
  const fields = [...new Set([...columns, ...(field === '' ? [] : [field])])];
  return (
    <label class="select">
      <span class="unseen">Sort by</span>
      <select value={sort} onChange={({ currentTarget }) => onSort(currentTarget.value)}>
        <option value="">Best match</option>
        {fields.flatMap((column) => [
          <option key={column} value={column}>{`${labelOf(column)} ↑`}</option>,
          <option key={`-${column}`} value={`-${column}`}>{`${labelOf(column)} ↓`}</option>,
        ])}
      </select>
    </label>
  );
}
