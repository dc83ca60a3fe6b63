// The search page. Its state is the address, and every selection changes the address. Columns that
// the address does not name are those that the user last chose for the index.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { visibleTypes } from '../../api/views/sight.ts';
import { SnippetDialog } from '../../export/snippet-dialog.tsx';
import { countedText } from '../../model/amount.ts';
import { firstVisible, kindOf } from '../../model/kinds.ts';
import { searchBody } from '../../model/search-body.ts';
import {
  defaultColumnsOf,
  printSearch,
  readSearch,
  type SearchState,
} from '../../model/search-state.ts';
import { changeLayout, layoutName, layoutOf, layouts } from '../../model/table-layout.ts';
import { Dialog } from '../../ui/dialog.tsx';
import type { PageProps } from '../../ui/page-props.ts';
import { go, replace } from '../../ui/route.ts';
import { useCell } from '../../ui/use-cell.ts';
import { useMedia } from '../../ui/use-media.ts';
import { ExplainDrawer } from '../explain/explain-drawer.tsx';
import { MissDrawer } from '../explain/miss-drawer.tsx';
import { ActiveFilters, filterCount } from './active-filters.tsx';
import { FacetPanel } from './facet-panel.tsx';
import { QueryBox } from './query/query-box.tsx';
import { queryFaultOf } from './query/query-fault.ts';
import { rememberQuery } from './query/recent-queries.ts';
import { useShown } from './query/use-fields.ts';
import { Results } from './results.tsx';
import { useElementRows } from './rows/use-element-rows.ts';
import { type Rows, useRows } from './rows/use-rows.ts';
import { useSavedParts } from './saved/saved-parts.tsx';
import { SearchTabs } from './search-tabs.tsx';
import { SearchToolbar } from './search-toolbar.tsx';
import { Timeline } from './timeline.tsx';

type Opened =
  | { readonly kind: 'query' | 'missing' | 'snippet' | 'filters' }
  | { readonly kind: 'hit'; readonly id: string; readonly title: string }
  | null;

/** Up to this width, the filters are a sheet over the page. */
const SHEET = '(max-width: 860px)';
/** Up to this width, the list of saved searches takes the place of the filters. */
const ONE_SIDE = '(max-width: 1600px)';

export function SearchPage({ route }: PageProps) {
  const types = useCell(visibleTypes) ?? [];
  const address = `${route.path[1] ?? ''}?${route.parameters}`;
  const read = useMemo(
    () => readSearch(route.path[1] ?? firstVisible(types), route.parameters),
    [address],
  );
  const table = layoutName(read.index, read.rows);
  const shown = useShown(read.index).columns;
  const chosen =
    layoutOf(useCell(layouts), table).columns ??
    (read.rows !== null || sameList(shown, defaultColumnsOf(read)) ? null : shown);
  const state = useMemo(
    () => (read.columns === null ? { ...read, columns: chosen } : read),
    [read, chosen],
  );
  const documents = useRows(state.rows === null ? state : null);
  const elements = useElementRows(state.rows === null ? null : state);
  const rows = state.rows === null ? documents : elements;
  const saved = useSavedParts(state);
  const results = useRef<HTMLElement>(null);
  const [opened, setOpened] = useState<Opened>(null);
  const isSheet = useMedia(SHEET);
  const isOneSide = useMedia(ONE_SIDE);
  const areFiltersOver = isSheet || (isOneSide && saved.side !== null);
  const close = () => setOpened(null);
  const show = (change: Partial<SearchState>) => {
    const next = { ...state, ...change };
    // Columns that are only remembered stay out of the address.
    const columns = next.columns === state.columns ? read.columns : next.columns;
    go(printSearch({ ...next, columns }));
  };
  // What a drawer explains is another search once the address changes, as by the button Back.
  const searched = JSON.stringify(searchBody(state));
  const lastSearched = useRef(searched);
  useEffect(() => {
    if (lastSearched.current === searched) return;
    lastSearched.current = searched;
    setOpened((before) => (before?.kind === 'filters' ? before : null));
  }, [searched]);
  const fault = rows.first.fault === null ? null : queryFaultOf(rows.first.fault, state.query);
  const { timeline } = kindOf(state.index);
  const isFound = rows.first.value !== undefined && rows.first.fault === null && !rows.isStale;
  // A query that the service refused is not worth repeating.
  useEffect(() => {
    if (isFound) rememberQuery(state.query);
  }, [isFound, state.query]);
  const filters = (
    <>
      <ActiveFilters state={state} onState={show} />
      <FacetPanel state={state} onState={show} />
    </>
  );
  return (
    <div class="search-page">
      <h1 class="unseen">Search</h1>
      <div class="search-head">
        <QueryBox
          index={state.index}
          query={state.query}
          fault={fault}
          onSubmitQuery={(query) => (query === state.query ? rows.first.reload() : show({ query }))}
        />
        {saved.toggle}
        <button
          type="button"
          class="skip"
          onClick={() =>
            (results.current?.querySelector<HTMLElement>('.rows') ?? results.current)?.focus()
          }
        >
          Skip to results
        </button>
      </div>
      <SearchTabs state={state} total={rows.isStale ? null : documentCount(rows)} />
      <div class="search-body">
        {saved.side}
        {!areFiltersOver && (
          <aside class="facets" aria-label="Filters">
            {filters}
          </aside>
        )}
        <section class="results" aria-label="Results" ref={results} tabIndex={-1}>
          {saved.bar}
          {areFiltersOver && <ActiveFilters state={state} onState={show} />}
          {timeline !== null && (
            <Timeline state={state} field={timeline} onSpan={(span) => show({ span })} />
          )}
          <SearchToolbar
            state={state}
            rows={rows}
            filters={filterCount(state)}
            onFilters={areFiltersOver ? () => setOpened({ kind: 'filters' }) : null}
            onColumns={(columns) => {
              changeLayout(table, { columns });
              replace(printSearch({ ...state, columns }));
            }}
            onSave={saved.onSave}
            onCopy={() => setOpened({ kind: 'snippet' })}
            onExplain={() => setOpened({ kind: 'query' })}
            onMissing={() => setOpened({ kind: 'missing' })}
          />
          <Results
            state={state}
            rows={rows}
            isMarked={fault !== null}
            onState={show}
            onExplain={(hit) => setOpened({ kind: 'hit', ...hit })}
            onMissing={() => setOpened({ kind: 'missing' })}
          />
        </section>
      </div>
      {saved.dialogs}
      {(opened?.kind === 'query' || opened?.kind === 'hit') && (
        <ExplainDrawer state={state} of={opened.kind === 'hit' ? opened : null} onClose={close} />
      )}
      {opened?.kind === 'missing' && (
        <MissDrawer
          state={state}
          onClose={close}
          onState={(next) => {
            close();
            show(next);
          }}
        />
      )}
      {opened?.kind === 'snippet' && <SnippetDialog state={state} onClose={close} />}
      {opened?.kind === 'filters' && areFiltersOver && (
        <Dialog title="Filters" shape={isSheet ? 'sheet' : 'drawer'} onClose={close}>
          <div class="facets">{filters}</div>
          <button type="button" class="button button-main" onClick={close}>
            Show {countOfRows(rows, state.rows === null ? 'result' : 'row')}
          </button>
        </Dialog>
      )}
    </div>
  );
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

/** `1 result`; `results` until the number is known. */
function countOfRows({ first: { value } }: Rows, noun: string): string {
  return value === undefined ? `${noun}s` : countedText(value.total, noun);
}

/** The number of matching documents, also if the rows are elements; null until it is known. */
function documentCount({ first: { value } }: Rows): number | null {
  return value?.documents ?? value?.total ?? null;
}
