// The toolbar above the rows: the total, and the actions on the whole search.
import { mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import { ExportMenu } from '../../export/export-menu.tsx';
import { isOfElement } from '../../model/element-columns.ts';
import { kindOf } from '../../model/kinds.ts';
import {
  automaticSort,
  columnsOf,
  printSearch,
  type SearchState,
  sortOf,
} from '../../model/search-state.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { useOneStop } from '../../ui/keyboard/one-stop.ts';
import { go, replace } from '../../ui/route.ts';
import { useCell } from '../../ui/use-cell.ts';
import { ColumnsMenu } from './rows/columns-menu.tsx';
import { RowsMenu } from './rows/rows-menu.tsx';
import type { Rows } from './rows/use-rows.ts';
import { SortMenu } from './sort-menu.tsx';

export interface SearchToolbarProps {
  readonly state: SearchState;
  readonly rows: Rows;
  /** The number of filters. */
  readonly filters: number;
  /** null: the filters are next to the rows. */
  readonly onFilters: (() => void) | null;
  readonly onColumns: (columns: readonly string[] | null) => void;
  /** null: the user may not save searches. */
  readonly onSave: (() => void) | null;
  readonly onCopy: () => void;
  readonly onExplain: () => void;
  readonly onMissing: () => void;
}

export function SearchToolbar(props: SearchToolbarProps) {
  const { state, rows, filters, onFilters } = props;
  const user = useCell(session);
  const columns = columnsOf(state);
  const path = state.rows?.path ?? null;
  // Changes of presentation get no entry in the history.
  const show = (change: Partial<SearchState>) => replace(printSearch({ ...state, ...change }));
  const stop = useOneStop<HTMLDivElement>(':scope > .menu > .button, .tool-group > .button');
  const who = state.index === 'identities' ? 'someone' : `an ${kindOf(state.index).singular}`;
  return (
    <div class="toolbar">
      <Total state={state} rows={rows} />
      {onFilters !== null && (
        <button type="button" class="button" aria-haspopup="dialog" onClick={onFilters}>
          <Icon name="filter" size={16} /> Filters
          {filters > 0 && <span class="facet-chosen">{filters}</span>}
        </button>
      )}
      <RowsMenu
        index={state.index}
        rows={state.rows}
        onRows={(rows) => go(printSearch({ ...state, rows, columns: null }))}
      />
      <SortMenu
        sort={sortOf(state)}
        automatic={automaticSort(state.index, state.query)}
        columns={columns.filter((one) => path === null || !isOfElement(one, path))}
        hasRelevance={path === null}
        onSort={(sort) => show({ sort })}
      />
      <div class="tools" role="toolbar" aria-label="Results" {...stop}>
        <ColumnsMenu state={state} onColumns={props.onColumns} />
        <ExportMenu state={state} total={rows.first.value?.total ?? 0} />
        <div class="tool-group">
          {props.onSave !== null && (
            <Tool icon="save" label="Save" title="Save search" onClick={props.onSave} />
          )}
          <Tool icon="code" label="Copy as" onClick={props.onCopy} />
          <Tool icon="explain" label="Explain" onClick={props.onExplain} />
          <Tool
            icon="missing"
            label="Why missing?"
            title={`Why is ${who.replace(/^an ([^AEIOUaeiou])/, 'a $1').toLowerCase()} missing?`}
            onClick={props.onMissing}
          />
          {mayUser(user, 'dashboard:manage') && (
            <Tool
              icon="chart"
              label="Add to dashboard"
              onClick={() =>
                go(`/dashboard/add?${new URLSearchParams({ search: printSearch(state) })}`)
              }
            />
          )}
        </div>
      </div>
    </div>
  );
}

function Tool({
  icon,
  label,
  title = label,
  onClick,
}: {
  icon: IconName;
  label: string;
  title?: string;
  onClick: () => void;
}) {
  return (
    <button type="button" class="button" title={title} onClick={onClick}>
      <Icon name={icon} size={16} /> <span class="menu-label">{label}</span>
    </button>
  );
}

function Total({ state, rows: { first, isStale } }: { state: SearchState; rows: Rows }) {
  const { value } = first;
  const noun = state.rows === null ? 'result' : 'row';
  return (
    <div class="total" role="status">
      {value !== undefined && !isStale && first.fault === null && (
        <>
          <strong>{value.total.toLocaleString('en')}</strong>{' '}
          {value.total === 1 ? noun : `${noun}s`}
          {value.documents !== undefined && ` of ${documentsText(state, value.documents)}`}
        </>
      )}
    </div>
  );
}

function documentsText({ index }: SearchState, count: number): string {
  const { singular, plural } = kindOf(index);
  return `${count.toLocaleString('en')} ${(count === 1 ? singular : plural).toLowerCase()}`;
}
