// Who may do what: lists of auth users with their capabilities, and the history of one auth user.
// Lists read the store, so they have every acknowledged write; the history reads the audit trail,
// which no retention shortens.
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { readCollectionFilter } from '../../query/collections/collection-filter.ts';
import type { CollectionForm } from '../../query/collections/collection-form.ts';
import {
  type CollectionParameters,
  readCollectionPage,
  readCollectionSorters,
} from '../../query/collections/collection-page.ts';
import { csvRow } from '../../query/csv-row.ts';
import { DEFAULT_LIMITS, type QueryLimits } from '../../query/limits.ts';
import {
  AUTH_USER_FIELDS,
  AUTH_USER_SORTERS,
  type ListedAuthUser,
} from '../ports/auth-user-list.ts';
import type { Store } from '../ports/store.ts';
import { type AdministeredUser, administeredForm } from './auth-user-administration.ts';
import { type HistoryEntry, historyEntry } from './auth-user-history.ts';
import { noSuchUser } from './auth-users.ts';

/** A page of auth users. */
export interface AdministeredUsers {
  readonly users: readonly AdministeredUser[];
  /** null unless counted. */
  readonly total: number | null;
}

/** A page of the history of an auth user, newest first. */
export interface AuthUserHistory {
  readonly entries: readonly HistoryEntry[];
  /** null unless counted. */
  readonly total: number | null;
}

const USERS = { byDefault: 250, most: 10_000 } as const;
const ENTRIES = { byDefault: 50, most: 250 } as const;

/** What auth users are filtered and sorted by. */
export const AUTH_USER_FORM: CollectionForm = {
  filters: AUTH_USER_FIELDS,
  sorters: AUTH_USER_SORTERS,
  limitMax: USERS.most,
};

/** The columns of the CSV of holders. */
const HOLDER_COLUMNS = ['capability', 'id', 'uid', 'name', 'email', 'enabled', 'lastLogin'];

/** Use cases of administrators. */
export class AuthUserDirectory {
  readonly #store: Pick<Store, 'read'>;
  readonly #limits: QueryLimits;

  constructor(store: Pick<Store, 'read'>, limits: QueryLimits = DEFAULT_LIMITS) {
    this.#store = store;
    this.#limits = limits;
  }

  /**
   * The auth users that match `filters`, by `sorters`, then id.
   * @throws ServiceError `forbidden`, `request_invalid`, `limit_exceeded`
   */
  async list(caller: Caller, parameters: CollectionParameters): Promise<AdministeredUsers> {
    authorize(caller, 'admin');
    const { users, total } = await this.#page(caller.tenantId, parameters, USERS.byDefault);
    return { users: users.map(administeredForm), total };
  }

  /**
   * The same as CSV: a row for each user and capability. The total is that of users, and always
   * counted; without `limit` the page is as large as it may be, since a report must not be cut.
   * @throws ServiceError as `list`
   */
  async holdersCsv(
    caller: Caller,
    parameters: CollectionParameters,
  ): Promise<{ readonly csv: string; readonly total: number; readonly isWhole: boolean }> {
    authorize(caller, 'admin');
    const counted = { ...parameters, count: 'true' };
    const { users, total, offset } = await this.#page(caller.tenantId, counted, USERS.most);
    const all = total ?? users.length;
    return {
      csv: holdersHead() + users.map((user) => holderRows(user)).join(''),
      total: all,
      isWhole: offset + users.length >= all,
    };
  }

  /**
   * The changes of an auth user, newest first, with the capabilities before and after each. That of
   * a deleted user stays.
   * @throws ServiceError `forbidden`, `request_invalid`, `not_found` for an id that never was an
   * auth user's
   */
  async history(
    caller: Caller,
    id: string,
    parameters: Pick<CollectionParameters, 'limit' | 'offset' | 'count'>,
  ): Promise<AuthUserHistory> {
    authorize(caller, 'admin');
    const page = readCollectionPage(parameters, ENTRIES);
    const query = { targetId: id, ...page };
    const [user, { texts, total }] = await Promise.all([
      this.#store.read.authUser(caller.tenantId, id),
      this.#store.read.authUserEvents(caller.tenantId, query),
    ]);
    if (user === null && texts.length === 0) await this.#refuseUnknown(caller.tenantId, id);
    return { entries: texts.map(historyEntry), total };
  }

  async #page(tenantId: string, parameters: CollectionParameters, byDefault: number) {
    const page = readCollectionPage(parameters, { byDefault, most: USERS.most });
    const filter = readCollectionFilter(parameters.filters, AUTH_USER_FORM.filters, this.#limits);
    const sorters = readCollectionSorters(parameters.sorters, AUTH_USER_FORM.sorters, this.#limits);
    const result = await this.#store.read.listAuthUsers(tenantId, { filter, sorters, ...page });
    return { ...result, offset: page.offset };
  }

  /**
   * Refuses an id without any event. A deleted user has events, so a page past the end of its
   * history is empty and no error.
   */
  async #refuseUnknown(tenantId: string, targetId: string): Promise<void> {
    const query = { targetId, limit: 1, offset: 0, count: false };
    const { texts } = await this.#store.read.authUserEvents(tenantId, query);
    if (texts.length === 0) throw noSuchUser();
  }
}

/** The header of the CSV of holders. */
export function holdersHead(): string {
  return csvRow(HOLDER_COLUMNS);
}

/**
 * The rows of one user, one for each capability: none for a user without.
 * @param only the capabilities to list; all when omitted
 */
export function holderRows(
  { user, status }: ListedAuthUser,
  only: readonly string[] | null = null,
): string {
  const { id, uid, displayName, email, lastLoginTimestamp } = user;
  const lastLogin = lastLoginTimestamp === 0 ? '' : new Date(lastLoginTimestamp).toISOString();
  return user.capabilities
    .filter((capability) => only === null || only.includes(capability))
    .map((capability) =>
      csvRow([capability, id, uid, displayName, email, status.enabled, lastLogin]),
    )
    .join('');
}
