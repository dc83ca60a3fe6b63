// The list of auth users for administrators: filters, columns, order, pages, and files of all
// matches. The address has all of it, so that it can be shared.

import { csvRow } from '../../../src/query/csv-row.ts';
import { holdersCsv, type ListedUser, listAuthUsers, USERS_MAX } from '../../api/auth-users-api.ts';
import { FileExport } from '../../export/file-export.tsx';
import type { ExportChoice } from '../../export/use-export.ts';
import { BYTE_ORDER_MARK } from '../../model/csv.ts';
import { changeLayout, layoutOf, layouts } from '../../model/table-layout.ts';
import { Icon } from '../../ui/icon.tsx';
import { Empty, FaultNotice, Waiting } from '../../ui/notice.tsx';
import { replace } from '../../ui/route.ts';
import { ColumnChooser } from '../../ui/table/column-chooser.tsx';
import {
  addressWith,
  changedParameters,
  listStateOf,
  type ParameterChanges,
} from '../../ui/table/list-state.ts';
import { PageButtons } from '../../ui/table/page-buttons.tsx';
import { SortHead } from '../../ui/table/sort-head.tsx';
import { TableFrame } from '../../ui/table-frame.tsx';
import { useCell } from '../../ui/use-cell.ts';
import { useLoad } from '../../ui/use-load.ts';
import {
  DEFAULT_USER_COLUMNS,
  USER_COLUMNS,
  type UserColumn,
  userColumnsOf,
} from './user-columns.tsx';
import { UserFilters } from './user-filters.tsx';
import { UserFinder } from './user-finder.tsx';
import { filterOf, userQueryOf } from './user-query.ts';

const PAGE = 50;
/** The name of the table among those whose columns the browser remembers. */
const TABLE = 'users';

export function UserList({ parameters }: { parameters: URLSearchParams }) {
  const query = userQueryOf(parameters);
  const { columns: chosen, sort, offset } = listStateOf(parameters);
  const remembered = layoutOf(useCell(layouts), TABLE).columns;
  const filters = filterOf(query);
  const sorters = sortersOf(sort);
  const page = useLoad(`${filters}\n${sorters}\n${offset}`, (signal) =>
    listAuthUsers({ filters, sorters }, { limit: PAGE, offset }, signal),
  );
  const hasViews = page.value?.users.some(({ view }) => view !== null) ?? false;
  const defaults = hasViews ? [...DEFAULT_USER_COLUMNS, 'view'] : DEFAULT_USER_COLUMNS;
  const columns = userColumnsOf(chosen ?? remembered ?? defaults);
  // A token may lack the scope of administration.
  if (page.fault?.kind === 'forbidden') return <UserFinder words={query.words} />;
  const change = (changes: ParameterChanges) =>
    replace(addressWith('/users', changedParameters(parameters, changes)));
  const showColumns = (keys: readonly string[] | null) => {
    changeLayout(TABLE, { columns: keys });
    change({ columns: keys?.join(',') ?? null, offset: offset === 0 ? null : String(offset) });
  };
  return (
    <div class="page">
      <h1>Auth users</h1>
      <UserFilters query={query} onChange={change} />
      {page.fault !== null && <FaultNotice fault={page.fault} reload={page.reload} />}
      {page.value === undefined && page.fault === null && <Waiting lines={8} />}
      {page.value !== undefined && page.fault === null && (
        <>
          <div class="list-tools">
            <p role="status" class="quiet">
              <strong class="list-total">{page.value.total.toLocaleString('en')}</strong>{' '}
              {page.value.total === 1 ? 'auth user' : 'auth users'}
            </p>
            <ColumnChooser
              all={USER_COLUMNS}
              shown={columns.map(({ key }) => key)}
              onShown={showColumns}
            />
            <FileExport
              noun="auth users"
              total={page.value.total}
              subject={filters}
              choices={exportChoices(filters, sorters, columns)}
            />
            <a class="button" href="#/data?users">
              <Icon name="upload" size={16} /> Import
            </a>
            <a class="button" href="#/users?new">
              <Icon name="plus" size={16} /> New auth user
            </a>
          </div>
          {page.value.total === 0 ? (
            <Empty icon="people" title="No matching auth users">
              <a href="#/users">Show all auth users</a>
            </Empty>
          ) : (
            <UserTable
              users={page.value.users}
              columns={columns}
              sort={sort ?? 'name'}
              onSort={(next) => change({ sort: next })}
            />
          )}
          <PageButtons
            noun="auth users"
            offset={offset}
            count={page.value.users.length}
            total={page.value.total}
            size={PAGE}
            onOffset={(next) => change({ offset: next === 0 ? null : String(next) })}
          />
        </>
      )}
    </div>
  );
}

interface UserTableProps {
  readonly users: readonly ListedUser[];
  readonly columns: readonly UserColumn[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function UserTable({ users, columns, sort, onSort }: UserTableProps) {
  return (
    <TableFrame label="Auth users">
      <thead>
        <tr>
          {columns.map(({ key, label, sorter }) => (
            <SortHead key={key} label={label} field={sorter} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id}>
            {columns.map(({ key, show }) => (
              <td key={key}>{show(user)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

/** The sorters of the service; a field that cannot be sorted by is ignored. */
function sortersOf(sort: string | null): string {
  const field = sort?.replace(/^-/, '') ?? '';
  return USER_COLUMNS.some(({ sorter }) => sorter === field) ? (sort ?? 'name') : 'name';
}

function exportChoices(
  filters: string,
  sorters: string,
  columns: readonly UserColumn[],
): readonly ExportChoice[] {
  return [
    {
      label: 'CSV (shown columns)',
      fileName: 'auth-users.csv',
      collect: (signal, onProgress) =>
        collectUsers({ filters, sorters }, columns, signal, onProgress),
    },
    {
      label: 'CSV (a row for each capability)',
      fileName: 'capabilities.csv',
      collect: (signal) => holdersCsv({ filters, sorters }, signal),
    },
  ];
}

async function collectUsers(
  query: { readonly filters: string; readonly sorters: string },
  columns: readonly UserColumn[],
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<{ blob: Blob; count: number }> {
  const parts = [BYTE_ORDER_MARK, csvRow(columns.map(({ label }) => label))];
  let count = 0;
  for (;;) {
    const page = { limit: USERS_MAX, offset: count };
    const { users } = await listAuthUsers(query, page, signal);
    parts.push(...users.map((user) => csvRow(columns.map(({ cell }) => cell(user)))));
    count += users.length;
    onProgress(count);
    if (users.length < USERS_MAX) break;
  }
  return { blob: new Blob(parts, { type: 'text/csv;charset=utf-8' }), count };
}
