// The toolbar above the rows: the total, and the actions on the whole search.
import { ExportMenu } from '../export/export-menu.tsx';
import { Icon } from '../ui/icon.tsx';
import { replace } from '../ui/route.ts';
import { ColumnsMenu } from './columns-menu.tsx';
import { columnsOf, printSearch, type SearchState } from './search-state.ts';
import { SortMenu } from './sort-menu.tsx';
import type { Rows } from './use-rows.ts';

export interface SearchToolbarProps {
  readonly state: SearchState;
  readonly rows: Rows;
  readonly facetsShown: boolean;
  readonly onFacets: () => void;
  readonly onCopy: () => void;
  readonly onExplain: () => void;
}

export function SearchToolbar({
  state,
  rows,
  facetsShown,
  onFacets,
  onCopy,
  onExplain,
}: SearchToolbarProps) {
  const columns = columnsOf(state);
  // Changes of presentation get no entry in the history.
  const show = (change: Partial<SearchState>) => replace(printSearch({ ...state, ...change }));
  return (
    <div class="toolbar">
      <Total rows={rows} />
      <button
        type="button"
        class="button facets-button"
        aria-expanded={facetsShown}
        onClick={onFacets}
      >
        <Icon name="filter" size={16} /> <span class="menu-label">Filters</span>
      </button>
      <SortMenu sort={state.sort} columns={columns} onSort={(sort) => show({ sort })} />
      <ColumnsMenu
        index={state.index}
        columns={columns}
        onColumns={(chosen) => show({ columns: chosen })}
      />
      <ExportMenu key={JSON.stringify(state)} state={state} total={rows.first.value?.total ?? 0} />
      <button type="button" class="button" onClick={onCopy}>
        <Icon name="code" size={16} /> <span class="menu-label">Copy as</span>
      </button>
      <button type="button" class="button" onClick={onExplain}>
        <Icon name="explain" size={16} /> <span class="menu-label">Explain</span>
      </button>
    </div>
  );
}

function Total({ rows: { first, isStale } }: { rows: Rows }) {
  const { value } = first;
  return (
    <div class="total" role="status">
      {value !== undefined && !isStale && first.fault === null && (
        <>
          <strong>{value.total.toLocaleString('en')}</strong> results
        </>
      )}
    </div>
  );
}
