// The search page. Its state is the address, and every selection changes the address.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { aggregate } from '../api/search-api.ts';
import type { Document } from '../api/wire.ts';
import { ExplainDrawer } from '../explain/explain-drawer.tsx';
import { SnippetDialog } from '../export/snippet-dialog.tsx';
import type { PageProps } from '../page-props.ts';
import { Icon } from '../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../ui/notice.tsx';
import { go, replace } from '../ui/route.ts';
import { useLoad } from '../ui/use-load.ts';
import { firstText } from './document-value.ts';
import { FacetPanel } from './facet-panel.tsx';
import { KINDS, kindOf, labelOf } from './kinds.ts';
import { WINDOW } from './paging.ts';
import { QueryBox } from './query-box.tsx';
import { queryFaultOf } from './query-fault.ts';
import { ResultRows } from './result-rows.tsx';
import { tabsBody } from './search-body.ts';
import {
  columnsOf,
  defaultSearch,
  printSearch,
  readSearch,
  type SearchState,
  toggleFacetValue,
} from './search-state.ts';
import { SearchToolbar } from './search-toolbar.tsx';
import { Timeline } from './timeline.tsx';
import { type Rows, useRows } from './use-rows.ts';

type Explained = { readonly id: string; readonly title: string } | 'query' | null;

export function SearchPage({ route }: PageProps) {
  const address = `${route.path[1] ?? ''}?${route.parameters}`;
  const state = useMemo(
    () => readSearch(route.path[1] ?? 'identities', route.parameters),
    [address],
  );
  const rows = useRows(state);
  const [explained, setExplained] = useState<Explained>(null);
  const [isCopying, setCopying] = useState(false);
  const [facetsShown, setFacetsShown] = useState(false);
  const show = (change: Partial<SearchState>) => go(printSearch({ ...state, ...change }));
  const fault = rows.first.fault === null ? null : queryFaultOf(rows.first.fault, state.query);
  const { timeline } = kindOf(state.index);
  return (
    <div class="search-page">
      <h1 class="unseen">Search</h1>
      <QueryBox
        index={state.index}
        query={state.query}
        fault={fault}
        onSubmitQuery={(query) => (query === state.query ? rows.first.reload() : show({ query }))}
      />
      <Tabs state={state} total={rows.isStale ? null : (rows.first.value?.total ?? null)} />
      <div class="search-body">
        <aside class="facets" aria-label="Filters" data-shown={facetsShown}>
          <ActiveFilters state={state} show={show} />
          <FacetPanel
            state={state}
            onToggle={(field, value) => go(printSearch(toggleFacetValue(state, field, value)))}
          />
        </aside>
        <section class="results" aria-label="Results">
          {timeline !== null && (
            <Timeline state={state} field={timeline} onSpan={(span) => show({ span })} />
          )}
          <SearchToolbar
            state={state}
            rows={rows}
            facetsShown={facetsShown}
            onFacets={() => setFacetsShown(!facetsShown)}
            onCopy={() => setCopying(true)}
            onExplain={() => setExplained('query')}
          />
          <Results state={state} rows={rows} isMarked={fault !== null} onExplain={setExplained} />
        </section>
      </div>
      {explained !== null && (
        <ExplainDrawer
          state={state}
          of={explained === 'query' ? null : explained}
          onClose={() => setExplained(null)}
        />
      )}
      {isCopying && <SnippetDialog state={state} onClose={() => setCopying(false)} />}
    </div>
  );
}

function Tabs({ state, total }: { state: SearchState; total: number | null }) {
  const { value, fault } = useLoad(`tabs ${state.query}`, (signal) =>
    aggregate(tabsBody(state.query), signal),
  );
  const shown = useRef<HTMLAnchorElement>(null);
  // On a narrow screen the tabs scroll, so make the current one visible.
  useEffect(() => shown.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' }), []);
  const counts = new Map(
    (value?.['types']?.buckets ?? []).map(({ key, doc_count }) => [String(key), doc_count]),
  );
  return (
    <nav class="tabs" aria-label="Types">
      {KINDS.map(({ index, type, plural }) => {
        const isShown = index === state.index;
        const counted = isShown ? total : value === undefined ? null : (counts.get(type) ?? 0);
        return (
          <a
            key={index}
            ref={isShown ? shown : null}
            href={`#${printSearch({ ...defaultSearch(index), query: state.query })}`}
            aria-current={isShown ? 'page' : undefined}
          >
            {plural}
            {counted !== null && <span class="tab-count">{counted.toLocaleString('en')}</span>}
            {counted === null && fault === null && <span class="tab-count">…</span>}
          </a>
        );
      })}
    </nav>
  );
}

function ActiveFilters({
  state,
  show,
}: {
  state: SearchState;
  show: (change: Partial<SearchState>) => void;
}) {
  const chosen = Object.entries(state.facetFilters).flatMap(([field, values]) =>
    values.map((value) => ({ field, value })),
  );
  if (chosen.length === 0) return null;
  return (
    <div class="chosen">
      {chosen.map(({ field, value }) => (
        <button
          type="button"
          class="chip"
          key={`${field} ${value}`}
          title={field}
          onClick={() => show(toggleFacetValue(state, field, value))}
        >
          <span class="unseen">Remove filter</span> {labelOf(field)}: {value}{' '}
          <Icon name="close" size={12} />
        </button>
      ))}
      <button type="button" class="link-button" onClick={() => show({ facetFilters: {} })}>
        Clear all
      </button>
    </div>
  );
}

interface ResultsProps {
  readonly state: SearchState;
  readonly rows: Rows;
  /** True if the query box shows the fault. */
  readonly isMarked: boolean;
  readonly onExplain: (explained: Explained) => void;
}

function Results({ state, rows, isMarked, onExplain }: ResultsProps) {
  const { first } = rows;
  if (first.fault !== null && first.fault.kind !== 'unavailable') {
    if (isMarked)
      return (
        <Empty icon="alert" title="Invalid query">
          The error is marked in the query.
        </Empty>
      );
    return <FaultNotice fault={first.fault} reload={first.reload} />;
  }
  if (first.value === undefined) {
    return first.fault === null ? (
      <Waiting lines={10} label="Searching" />
    ) : (
      <FaultNotice fault={first.fault} />
    );
  }
  const sorted = (column: string) => {
    const sort = state.sort === column ? `-${column}` : column;
    replace(printSearch({ ...state, sort }));
  };
  const { warnings, total } = first.value;
  return (
    <>
      {warnings.map((warning) => (
        <p class="notice notice-plain" key={warning}>
          <Icon name="alert" size={16} /> {warning}
        </p>
      ))}
      {total === 0 ? (
        <Empty title="No results">
          {Object.keys(state.facetFilters).length > 0 || state.span !== null
            ? 'Remove a filter or the date range to see more results.'
            : 'Try other words or another document type.'}
        </Empty>
      ) : (
        <ResultRows
          key={`${state.index} ${first.key}`}
          index={state.index}
          label={kindOf(state.index).plural}
          rows={rows.rows}
          total={total}
          columns={columnsOf(state)}
          sort={state.sort}
          isStale={rows.isStale}
          onSort={sorted}
          onEnd={rows.more}
          onExplain={(row: Document) =>
            onExplain({ id: String(row['id']), title: firstText(row, 'displayName', 'name', 'id') })
          }
        />
      )}
      {rows.fault !== null && <FaultNotice fault={rows.fault} reload={rows.reload} />}
      {rows.isCut && (
        <p class="notice notice-plain">
          Only the best {WINDOW.toLocaleString('en')} matches are shown. Sort by a field to see all
          of them.
        </p>
      )}
    </>
  );
}
