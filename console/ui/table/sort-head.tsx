// The head of a column: a button that sorts by it, if the table can.
import { Icon } from '../icon.tsx';
import { nextSort } from './list-state.ts';

export interface SortHeadProps {
  readonly label: string;
  /** What the column is sorted by; null: it cannot be sorted. */
  readonly field: string | null;
  /** The order of the table, with `-` in front for descending. */
  readonly sort: string | null;
  readonly onSort: (sort: string) => void;
  /** Why the column cannot be sorted. */
  readonly reason?: string;
}

export function SortHead({ label, field, sort, onSort, reason }: SortHeadProps) {
  if (field === null)
    return (
      <th scope="col" title={reason}>
        {label}
      </th>
    );
  const direction = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none';
  return (
    <th scope="col" aria-sort={direction}>
      <button type="button" class="sort-button" onClick={() => onSort(nextSort(sort, field))}>
        {label}
        {direction !== 'none' && (
          <Icon name={direction === 'ascending' ? 'up' : 'down'} size={13} />
        )}
      </button>
    </th>
  );
}
