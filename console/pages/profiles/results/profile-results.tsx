// A table of profiles with its tools: the number of matches, columns, order, pages, and a file of
// all matches. The address has columns, order and page.
import { csvRow } from '../../../../src/query/csv-row.ts';
import type { Profile } from '../../../api/profiles-api.ts';
import { FileExport } from '../../../export/file-export.tsx';
import { BYTE_ORDER_MARK } from '../../../model/csv.ts';
import { SORTED_MAX, type Sort, sortOf } from '../../../model/profiles/sorting.ts';
import { changeLayout, layoutOf, layouts } from '../../../model/table-layout.ts';
import { Empty, FaultNotice, Waiting } from '../../../ui/notice.tsx';
import { ColumnChooser } from '../../../ui/table/column-chooser.tsx';
import { listStateOf, type ParameterChanges } from '../../../ui/table/list-state.ts';
import { PageButtons } from '../../../ui/table/page-buttons.tsx';
import { SortHead } from '../../../ui/table/sort-head.tsx';
import { TableFrame } from '../../../ui/table-frame.tsx';
import { useCell } from '../../../ui/use-cell.ts';
import { useLoad } from '../../../ui/use-load.ts';
import { isSortable, type ProfileColumn } from './profile-columns.tsx';
import { allProfiles, PAGE, type ProfileSource, tablePage } from './profile-source.ts';

export interface ProfileResultsProps {
  /** Identifies what the source returns. */
  readonly sourceKey: string;
  readonly source: ProfileSource;
  readonly parameters: URLSearchParams;
  readonly onChange: (changes: ParameterChanges) => void;
  /** All columns that can be shown. */
  readonly columns: readonly ProfileColumn[];
  readonly defaults: readonly string[];
  /** True if nothing narrows the list, which without profiles has none at all. */
  readonly isWhole: boolean;
  /** Under this name the browser remembers the columns; null: it does not. */
  readonly table: string | null;
}

const REASON = `More than ${SORTED_MAX.toLocaleString('en')} profiles match: narrow the search to sort by this column`;

export function ProfileResults(props: ProfileResultsProps) {
  const { sourceKey, source, parameters, onChange, columns: all, defaults, table } = props;
  const state = listStateOf(parameters);
  const remembered = useCell(layouts);
  const keys =
    state.columns ?? (table === null ? null : layoutOf(remembered, table).columns) ?? defaults;
  const columns = columnsWith(keys, all, defaults);
  const sort = sortOf(state.sort);
  const key = `${sourceKey}\n${state.sort ?? ''}\n${state.offset}`;
  const page = useLoad(key, (signal) => tablePage(source, sort, all, state.offset, signal));
  const showColumns = (shown: readonly string[] | null) => {
    if (table !== null) changeLayout(table, { columns: shown });
    onChange({ columns: shown?.join(',') ?? null, offset: parameters.get('offset') });
  };
  if (page.fault !== null) return <FaultNotice fault={page.fault} reload={page.reload} />;
  if (page.value === undefined) return <Waiting lines={8} />;
  const { profiles, total } = page.value;
  return (
    <>
      <div class="list-tools">
        <p role="status" class="quiet">
          <strong class="list-total profile-total">{total.toLocaleString('en')}</strong>{' '}
          {total === 1 ? 'profile' : 'profiles'}
        </p>
        <ColumnChooser
          all={all}
          shown={columns.map((column) => column.key)}
          onShown={showColumns}
        />
        <FileExport
          noun="profiles"
          total={total}
          subject={sourceKey}
          choices={[
            {
              ...{ label: 'CSV (shown columns)', fileName: 'profiles.csv' },
              collect: (signal, onProgress) =>
                collectFile(source, sort, columns, all, signal, onProgress),
            },
          ]}
        />
      </div>
      {total === 0 ? (
        <NoProfiles isWhole={props.isWhole} />
      ) : (
        <div data-stale={page.key !== key} class="stale-frame">
          <ProfileTable
            {...{ profiles, total, columns }}
            sort={state.sort ?? 'name'}
            onSort={(next) => onChange({ sort: next === 'name' ? null : next })}
          />
        </div>
      )}
      <PageButtons
        noun="profiles"
        offset={state.offset}
        count={profiles.length}
        total={total}
        size={PAGE}
        onOffset={(next) => onChange({ offset: next === 0 ? null : String(next) })}
      />
    </>
  );
}

function NoProfiles({ isWhole }: { isWhole: boolean }) {
  if (!isWhole) {
    return (
      <Empty icon="cards" title="No matching profiles">
        <a href="#/profiles">Show all profiles</a>
      </Empty>
    );
  }
  return (
    <Empty icon="cards" title="No profiles yet">
      Create one here, or import a file with <code>cardea import --profiles</code>.
    </Empty>
  );
}

interface ProfileTableProps {
  readonly profiles: readonly Profile[];
  /** Of all pages. */
  readonly total: number;
  readonly columns: readonly ProfileColumn[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function ProfileTable({ profiles, total, columns, sort, onSort }: ProfileTableProps) {
  return (
    <TableFrame label="Profiles">
      <thead>
        <tr>
          {columns.map((column) => (
            <SortHead
              key={column.key}
              label={column.label}
              field={isSortable(column.key, total <= SORTED_MAX) ? column.key : null}
              sort={sort}
              onSort={onSort}
              reason={REASON}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {profiles.map((profile) => (
          <tr key={profile.id}>
            {columns.map((column) => (
              <td key={column.key}>{column.show(profile)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

/** The columns with these keys; unknown ones are left out, and without any the default ones. */
function columnsWith(
  keys: readonly string[],
  all: readonly ProfileColumn[],
  defaults: readonly string[],
): readonly ProfileColumn[] {
  const find = (names: readonly string[]) =>
    names.flatMap((name) => all.find(({ key }) => key === name) ?? []);
  const columns = find(keys);
  return columns.length > 0 ? columns : find(defaults);
}

async function collectFile(
  source: ProfileSource,
  sort: Sort,
  columns: readonly ProfileColumn[],
  all: readonly ProfileColumn[],
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<{ blob: Blob; count: number }> {
  const profiles = await allProfiles(source, sort, all, signal, onProgress);
  const rows = profiles.map((profile) => csvRow(columns.map(({ cell }) => cell(profile))));
  const parts = [BYTE_ORDER_MARK, csvRow(columns.map(({ label }) => label)), ...rows];
  return { blob: new Blob(parts, { type: 'text/csv;charset=utf-8' }), count: profiles.length };
}
