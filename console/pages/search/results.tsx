// The results of a search: warnings with their remedy, the rows, or what to do without any.
import { useMemo } from 'preact/hooks';
import { mayUser } from '../../api/rights.ts';
import { session } from '../../api/session.ts';
import { countedText } from '../../model/amount.ts';
import { firstText } from '../../model/document-value.ts';
import { isOfElement } from '../../model/element-columns.ts';
import { kindOf, labelOf } from '../../model/kinds.ts';
import { WINDOW } from '../../model/paging.ts';
import { queryTerms } from '../../model/query-terms.ts';
import {
  columnLabel,
  columnsOf,
  isNarrowed,
  NO_FILTERS,
  printSearch,
  type SearchState,
  sortOf,
} from '../../model/search-state.ts';
import { layoutName, layoutOf, layouts, setWidth } from '../../model/table-layout.ts';
import type { Document } from '../../model/wire.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { replace } from '../../ui/route.ts';
import { useCell } from '../../ui/use-cell.ts';
import { renameField, unknownNameOf } from './query/did-you-mean.ts';
import { useFields } from './query/use-fields.ts';
import { ResultRows } from './rows/result-rows.tsx';
import { ROWS_MAX } from './rows/use-element-rows.ts';
import type { Rows } from './rows/use-rows.ts';

export interface ResultsProps {
  readonly state: SearchState;
  readonly rows: Rows;
  /** True if the query box shows the fault. */
  readonly isMarked: boolean;
  readonly onState: (change: Partial<SearchState>) => void;
  readonly onExplain: (row: { readonly id: string; readonly title: string }) => void;
  readonly onMissing: () => void;
}

export function Results(props: ResultsProps) {
  const { state, rows, isMarked, onState, onExplain } = props;
  const { first } = rows;
  const terms = useMemo(() => queryTerms(state.query), [state.query]);
  const table = layoutName(state.index, state.rows);
  const { widths } = layoutOf(useCell(layouts), table);
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
      <FaultNotice fault={first.fault} reload={first.reload} />
    );
  }
  const sorted = (column: string) => {
    const sort = sortOf(state) === column ? `-${column}` : column;
    replace(printSearch({ ...state, sort }));
  };
  const { warnings, total } = first.value;
  return (
    <>
      {warnings.map((warning) => (
        <Warning
          key={warning}
          warning={warning}
          state={state}
          onQuery={(query) => onState({ query })}
        />
      ))}
      {total === 0 ? (
        <NoResults {...props} />
      ) : (
        <ResultRows
          key={`${state.index} ${first.key}`}
          index={state.index}
          label={rowsLabel(state)}
          rows={rows.rows}
          total={total}
          columns={columnsOf(state)}
          widths={widths}
          sort={sortOf(state)}
          isStale={rows.isStale}
          terms={terms}
          labelOf={(column) => columnLabel(state, column)}
          isSortable={(column) => state.rows === null || !isOfElement(column, state.rows.path)}
          onSort={sorted}
          onWidth={(column, px) => setWidth(table, column, px)}
          onEnd={rows.more}
          onExplain={(row: Document) =>
            onExplain({ id: String(row['id']), title: firstText(row, 'displayName', 'name', 'id') })
          }
        />
      )}
      {rows.fault !== null && <FaultNotice fault={rows.fault} reload={rows.reload} />}
      {rows.isCut && (
        <p class="notice notice-plain">
          {state.rows === null
            ? `Only the best ${WINDOW.toLocaleString('en')} matches are shown. Sort by a field to see all of them.`
            : `Only the first ${ROWS_MAX.toLocaleString('en')} rows are shown. Export has all of them.`}
        </p>
      )}
    </>
  );
}

/** The name of the table. */
function rowsLabel({ index, rows }: SearchState): string {
  const { plural } = kindOf(index);
  return rows === null ? plural : `${labelOf(rows.path)} of ${plural.toLowerCase()}`;
}

interface WarningProps {
  readonly warning: string;
  readonly state: SearchState;
  readonly onQuery: (query: string) => void;
}

/** A warning of the service. One about an unknown field offers the fields that may be meant. */
function Warning({ warning, state, onQuery }: WarningProps) {
  const unknown = unknownNameOf(warning, useFields(state.index));
  return (
    <div class="notice notice-plain">
      <Icon name="alert" size={16} />
      {unknown === null ? (
        <p>{warning}</p>
      ) : (
        <p>
          No requested index has a field <code>{unknown.name}</code>
          {unknown.candidates.length > 0 && '; did you mean '}
          {unknown.candidates.map((path, at) => (
            <span key={path}>
              {at > 0 && ' or '}
              <button
                type="button"
                class="link-button"
                onClick={() => onQuery(renameField(state.query, unknown.name, path))}
              >
                {path}
              </button>
            </span>
          ))}
          {unknown.candidates.length > 0 && '?'}
        </p>
      )}
    </div>
  );
}

function NoResults({ state, rows: { first }, onState, onMissing }: ResultsProps) {
  const mayImport = mayUser(useCell(session), 'admin');
  const isFiltered = isNarrowed(state);
  const { rows } = state;
  const documents = first.value?.documents ?? 0;
  if (rows !== null && documents > 0) {
    return (
      <Empty title="No rows">
        <p>
          {countedText(documents, 'document')}{' '}
          {documents === 1 ? 'matches, but none of its' : 'match, but none of their'}{' '}
          {labelOf(rows.path).toLowerCase()} do.
        </p>
        <div class="buttons">
          {rows.elements === 'matching' && (
            <button
              type="button"
              class="button"
              onClick={() => onState({ rows: { ...rows, elements: 'all' } })}
            >
              Show all {labelOf(rows.path).toLowerCase()}
            </button>
          )}
          <button
            type="button"
            class="button"
            onClick={() => onState({ rows: null, columns: null })}
          >
            Show documents
          </button>
        </div>
      </Empty>
    );
  }
  if (!isFiltered && state.query === '') {
    return (
      <Empty title={`No ${kindOf(state.index).plural.toLowerCase()}`}>
        <p>Choose another document type{mayImport && ', or import some'}.</p>
        {mayImport && (
          <a class="button" href="#/data">
            Import
          </a>
        )}
      </Empty>
    );
  }
  return (
    <Empty title="No results">
      <p>
        {isFiltered
          ? 'Remove a filter or the date range to see more results.'
          : 'Try other words or another document type.'}
      </p>
      <div class="buttons">
        {isFiltered && (
          <button type="button" class="button" onClick={() => onState(NO_FILTERS)}>
            Remove all filters
          </button>
        )}
        {state.query !== '' && (
          <button type="button" class="button" onClick={onMissing}>
            <Icon name="missing" size={16} /> Why is something missing?
          </button>
        )}
        {state.query !== '' && (
          <button type="button" class="button" onClick={() => onState({ query: '' })}>
            Clear query
          </button>
        )}
      </div>
    </Empty>
  );
}
