// The columns of the list of auth users: how each is shown, sorted and written to a file.
import type { ComponentChildren } from 'preact';
import type { ListedUser } from '../../api/auth-users-api.ts';
import { titleOf } from '../../model/capability-change.ts';
import { instantText } from '../../model/document-value.ts';
import { href } from '../../ui/route.ts';
import { Avatar } from '../../ui/values/avatar.tsx';
import { Status } from '../../ui/values/status.tsx';
import { ViewName } from '../views/view-name.tsx';

export interface UserColumn {
  readonly key: string;
  readonly label: string;
  /** The sorter of the service; null: it cannot be sorted. */
  readonly sorter: string | null;
  show(user: ListedUser): ComponentChildren;
  /** The cell of a file. */
  cell(user: ListedUser): unknown;
}

type TextMember =
  | 'id'
  | 'uid'
  | 'email'
  | 'alias'
  | 'firstname'
  | 'lastname'
  | 'identificationNumber';

/** A column with a text of the user. */
function text(key: TextMember, label: string): UserColumn {
  const read = (user: ListedUser) => user[key] ?? '';
  return { key, label, sorter: key, show: (user) => read(user) || '–', cell: read };
}

export const USER_COLUMNS: readonly UserColumn[] = [
  {
    ...{ key: 'name', label: 'Name', sorter: 'name' },
    show: (user) => (
      <a class="person" href={href('users', user.id)}>
        <Avatar name={user.displayName} />
        <strong>{user.displayName || user.uid}</strong>
      </a>
    ),
    cell: ({ displayName }) => displayName,
  },
  text('email', 'Email'),
  {
    ...{ key: 'capabilities', label: 'Capabilities', sorter: null },
    show: ({ capabilities }) =>
      capabilities.length === 0 ? (
        <span class="quiet">None</span>
      ) : (
        <span class="chips">
          {capabilities.map((name) => (
            <span class="chip" key={name} title={titleOf(name)}>
              {name}
            </span>
          ))}
        </span>
      ),
    cell: ({ capabilities }) => capabilities,
  },
  {
    ...{ key: 'enabled', label: 'State', sorter: 'enabled' },
    show: ({ enabled }) => <Status word={enabled ? 'Enabled' : 'Disabled'} />,
    cell: ({ enabled }) => (enabled ? 'Enabled' : 'Disabled'),
  },
  {
    ...{ key: 'view', label: 'View', sorter: 'view' },
    show: ({ view }) => <ViewName view={view} />,
    cell: ({ view }) => view ?? '',
  },
  {
    ...{ key: 'lastLogin', label: 'Last sign-in', sorter: 'lastLoginTimestamp' },
    show: (user) => (
      <span class={`moment ${user.lastLoginTimestamp > 0 ? '' : 'quiet'}`}>
        {user.lastLoginTimestamp > 0 ? instantText(lastLogin(user)) : 'Never'}
      </span>
    ),
    cell: lastLogin,
  },
  text('uid', 'UID'),
  text('alias', 'Alias'),
  text('firstname', 'First name'),
  text('lastname', 'Last name'),
  text('identificationNumber', 'Identification number'),
  text('id', 'ID'),
];

export const DEFAULT_USER_COLUMNS = ['name', 'email', 'capabilities', 'enabled', 'lastLogin'];

/** The columns with these keys; unknown ones are left out, and without any the default ones. */
export function userColumnsOf(keys: readonly string[]): readonly UserColumn[] {
  const columns = keys.flatMap((key) => USER_COLUMNS.find((column) => column.key === key) ?? []);
  return columns.length > 0 ? columns : userColumnsOf(DEFAULT_USER_COLUMNS);
}

function lastLogin({ lastLoginTimestamp }: ListedUser): string {
  return lastLoginTimestamp > 0 ? new Date(lastLoginTimestamp).toISOString() : '';
}
