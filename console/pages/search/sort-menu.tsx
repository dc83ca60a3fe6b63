// The select box of the sort: by relevance or by a column.
import { labelOf } from '../../model/kinds.ts';

export interface SortMenuProps {
  /** The sort in effect; '': by relevance. */
  readonly sort: string;
  /** The sort without a choice. */
  readonly automatic: string;
  /** Those that can be sorted by. */
  readonly columns: readonly string[];
  /** Whether relevance is an order. */
  readonly hasRelevance: boolean;
  /** @param sort null: without a choice */
  readonly onSort: (sort: string | null) => void;
}

export function SortMenu({ sort, automatic, columns, hasRelevance, onSort }: SortMenuProps) {
  const keys = sort.split(',');
  const field = keys.length > 1 ? '' : sort.replace(/^-/, '');
  const fields = [...new Set([...columns, ...(field === '' ? [] : [field])])];
  return (
    <label class="select">
      <span class="select-label">Sort by</span>
      <select
        value={sort}
        onChange={({ currentTarget: { value } }) => onSort(value === automatic ? null : value)}
      >
        {hasRelevance && <option value="">Best match</option>}
        {keys.length > 1 && (
          <option value={sort}>
            {keys.map((key) => labelOf(key.replace(/^-/, ''))).join(', ')}
          </option>
        )}
        {fields.flatMap((column) => [
          <option key={column} value={column}>{`${labelOf(column)} ↑`}</option>,
          <option key={`-${column}`} value={`-${column}`}>{`${labelOf(column)} ↓`}</option>,
        ])}
      </select>
    </label>
  );
}
