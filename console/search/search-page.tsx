// The search page. All it shows follows from the address; whatever somebody chooses makes another address.
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
import { QueryBox } from './query-box.tsx';
import { queryFaultOf } from './query-fault.ts';
import { ResultRows } from './result-rows.tsx';
import { tabsBody } from './search-body.ts';
import {
  columnsOf,
  printSearch,
  readSearch,
  type SearchState,
  toggled,
  wholeOf,
} from './search-state.ts';
import { SearchToolbar } from './search-toolbar.tsx';
import { Timeline } from './timeline.tsx';
import { type Rows, useRows } from './use-rows.ts';

type Explained = { readonly id: string; readonly title: string } | 'query' | null;

export function SearchPage({ route }: PageProps) {
  const address = `${route.path[1] ?? ''}?${route.parts}`;
  const state = useMemo(() => readSearch(route.path[1] ?? 'identities', route.parts), [address]);
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
        onAsk={(query) => (query === state.query ? rows.first.again() : show({ query }))}
      />
      <Tabs state={state} total={rows.isStale ? null : (rows.first.value?.total ?? null)} />
      <div class="search-body">
        <aside class="facets" aria-label="Facets" data-shown={facetsShown}>
          <Chosen state={state} show={show} />
          <FacetPanel
            state={state}
            onToggle={(field, value) => go(printSearch(toggled(state, field, value)))}
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
          <Found state={state} rows={rows} isMarked={fault !== null} onExplain={setExplained} />
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
  // On a narrow screen the tabs are scrolled; the one that is shown is brought into sight.
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
            href={`#${printSearch({ ...wholeOf(index), query: state.query })}`}
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

function Chosen({
  state,
  show,
}: {
  state: SearchState;
  show: (change: Partial<SearchState>) => void;
}) {
  const chosen = Object.entries(state.narrowed).flatMap(([field, values]) =>
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
          onClick={() => show(toggled(state, field, value))}
        >
          <span class="unseen">Let go of</span> {labelOf(field)}: {value}{' '}
          <Icon name="close" size={12} />
        </button>
      ))}
      <button type="button" class="link-button" onClick={() => show({ narrowed: {} })}>
        Clear all
      </button>
    </div>
  );
}

interface FoundProps {
  readonly state: SearchState;
  readonly rows: Rows;
  /** Whether the fault is told at the query already. */
  readonly isMarked: boolean;
  readonly onExplain: (explained: Explained) => void;
}

function Found({ state, rows, isMarked, onExplain }: FoundProps) {
  const { first } = rows;
  if (first.fault !== null && first.fault.kind !== 'away') {
    if (isMarked)
      return (
        <Empty icon="alert" title="The query cannot be read">
          The place is marked in it.
        </Empty>
      );
    return <FaultNotice fault={first.fault} again={first.again} />;
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
        <Empty title="Nothing is found">
          {Object.keys(state.narrowed).length > 0 || state.span !== null
            ? 'Let go of a facet or of the dates to find more.'
            : 'Other words may do, or another type above.'}
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
      {rows.fault !== null && <FaultNotice fault={rows.fault} again={rows.again} />}
      {rows.isCut && (
        <p class="notice notice-plain">
          The best matches end here. Choose an order to see all of them.
        </p>
      )}
    </>
  );
}
