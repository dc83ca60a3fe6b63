// Lists of auth users in the store port: filtered, sorted, counted.
import type { CollectionFilter, FilterFields } from '../../query/collections/collection-filter.ts';
import type { CollectionSorter } from '../../query/collections/collection-page.ts';
import type { AuthUser, UserStatus } from './auth-user.ts';

/** The fields that auth users are filtered and sorted by; `name` is the display name. */
export const AUTH_USER_FIELDS = {
  id: 'text',
  uid: 'text',
  alias: 'text',
  name: 'text',
  displayName: 'text',
  firstname: 'text',
  lastname: 'text',
  email: 'text',
  identificationNumber: 'text',
  enabled: 'flag',
  lastLoginTimestamp: 'number',
  currentLoginTimestamp: 'number',
  capabilities: 'list',
  view: 'text',
} as const satisfies FilterFields;

export type AuthUserField = keyof typeof AUTH_USER_FIELDS;

/** The fields that a list can be sorted by. */
export const AUTH_USER_SORTERS: readonly string[] = Object.entries(AUTH_USER_FIELDS)
  .filter(([, kind]) => kind !== 'list')
  .map(([name]) => name);

/** Which auth users to list. Names in filter and sorters are an AuthUserField. */
export interface AuthUserQuery {
  readonly filter: CollectionFilter | null;
  /** Ties, and everything if it is empty, are in order of id. */
  readonly sorters: readonly CollectionSorter[];
  readonly limit: number;
  readonly offset: number;
  /** Only users with a greater id, for pages by id; absent or null for all. */
  readonly after?: string | null;
  /** Whether all matching users are counted. */
  readonly count: boolean;
}

/** An auth user with the state that its tokens depend on. */
export interface ListedAuthUser {
  readonly user: AuthUser;
  readonly status: Omit<UserStatus, 'capabilities'>;
}

/** A page of auth users. */
export interface AuthUserPage {
  readonly users: readonly ListedAuthUser[];
  /** null unless counted. */
  readonly total: number | null;
}
