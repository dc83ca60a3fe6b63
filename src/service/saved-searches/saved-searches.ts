// Saved searches: create, list, read, replace and delete them, and request a run of one
// (contract/search.md section 8).
// Invariant: a user sees their own and those that others share, an administrator all of the tenant, in
// lists those of an owner whom they name; only the owner and administrators change, run and schedule one. What is stored can be planned as a
// search.

import { randomUUID } from 'node:crypto';
import { authorize, mayDo } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { systemClock } from '../../auth/clock.ts';
import { ServiceError } from '../../errors.ts';
import { invalid, Members } from '../../query/body.ts';
import { readCollectionPage } from '../../query/collections/collection-page.ts';
import type { SavedSearchDefinition } from '../../query/search-definition.ts';
import { actorOf } from '../audit/audit-event.ts';
import {
  changeableItem,
  type ItemKind,
  type OwnerReference,
  ownerIdOf,
} from '../owned-items/owned-item.ts';
import { OwnedItems } from '../owned-items/owned-items.ts';
import type { SavedSearch, SearchRun } from '../ports/saved-search-records.ts';
import type { Records, Store } from '../ports/store.ts';
import type { Hint } from '../searching/rows/search-hints.ts';
import type { Search } from '../searching/search.ts';
import {
  type Listed,
  type ListParameters,
  readEqualities,
  SAVED_SEARCH_FIELDS,
} from './list-request.ts';
import { recordExecution } from './saved-search-event.ts';
import { readSavedSearch } from './saved-search-request.ts';
import { readIdentity, readRecipients } from './scheduled-search-request.ts';
import { checkSearch } from './search-check.ts';

/** `SavedSearch` of the public specification. */
export interface SavedSearchView extends SavedSearchDefinition {
  readonly id: string;
  readonly owner: OwnerReference;
  readonly ownerId: string;
  readonly public: false;
  readonly created: string;
  readonly modified: string;
}

/** Receives the warnings that a search of this definition would have. */
export type Warn = (hints: readonly Hint[]) => void;

export const MAX_SEARCHES_PER_OWNER = 1_000;
/** Runs of a tenant that have not ended; schedules may exceed it. */
export const MAX_OPEN_RUNS = 100;
/** A saved search has fewer. */
const ALL_SCHEDULES = { offset: 0, limit: 100 };

/** Saved searches as items of their owners. */
export const SAVED_SEARCH: ItemKind<SavedSearch> = {
  ...{ noun: 'saved search', object: 'SAVED_SEARCH', plural: 'saved searches' },
  maxPerOwner: MAX_SEARCHES_PER_OWNER,
  read: (records, tenantId, id) => records.savedSearch(tenantId, id),
  count: (records, tenantId, ownerId) =>
    records.savedSearchCount(tenantId, { ownerId, readerId: null }),
  put: (records, tenantId, search) => records.putSavedSearch(tenantId, search),
  remove: (records, tenantId, id) => records.deleteSavedSearch(tenantId, id),
  isVisible: (caller, search) => search.shared || isOwn(caller, search),
  mayChange: isOwn,
};

/** The use cases of saved searches. */
export class SavedSearches {
  readonly #store: Store;
  readonly #search: Pick<Search, 'checker'>;
  readonly #items: OwnedItems<SavedSearch>;

  constructor(store: Store, search: Pick<Search, 'checker'>, { clock = systemClock } = {}) {
    this.#store = store;
    this.#search = search;
    this.#items = new OwnedItems(store, clock, SAVED_SEARCH);
  }

  /**
   * @param signal aborts the check of the search
   * @param warn gets the warnings of such a search
   * @throws ServiceError `forbidden`, `body_malformed`, `request_invalid`, `limit_violation`,
   * `deadline_exceeded`, `cancelled`
   */
  async create(
    caller: Caller,
    body: unknown,
    signal?: AbortSignal,
    warn?: Warn,
  ): Promise<SavedSearchView> {
    authorize(caller, 'saved-search:manage');
    const definition = await this.#read(caller, body, { isShared: false, signal, warn });
    return view(await this.#items.create(caller, definition));
  }

  /**
   * Your own and those that others share, or those of an owner that you may see.
   * @throws ServiceError `forbidden`, `request_invalid`
   */
  async list(caller: Caller, parameters: ListParameters = {}): Promise<Listed<SavedSearchView>> {
    authorize(caller, 'saved-search:read');
    const page = readCollectionPage(parameters);
    const ownerId = readEqualities(parameters.filters, SAVED_SEARCH_FIELDS).get('owner.id') ?? null;
    const seesAll = ownerId !== null && mayDo(caller, 'saved-search:all');
    const filter = { ownerId, readerId: seesAll ? null : ownerIdOf(caller) };
    const { read } = this.#store;
    const items = await read.savedSearches(caller.tenantId, filter, page);
    const total = page.count ? await read.savedSearchCount(caller.tenantId, filter) : null;
    return { items: items.map(view), total };
  }

  /** @throws ServiceError `forbidden`, `not_found` also for another owner's search */
  async get(caller: Caller, id: string): Promise<SavedSearchView> {
    authorize(caller, 'saved-search:read');
    return view(await this.#items.visible(caller, id));
  }

  /**
   * Replaces a search; its owner stays, and whether it is shared unless the body says so: clients of
   * the public API do not know that member. If its schedules have recipients, it needs the right to
   * search as well, as those get what it finds.
   * @param signal aborts the check of the search
   * @param warn gets the warnings of such a search
   * @throws ServiceError as create, `not_found`
   */
  async replace(
    caller: Caller,
    id: string,
    body: unknown,
    signal?: AbortSignal,
    warn?: Warn,
  ): Promise<SavedSearchView> {
    authorize(caller, 'saved-search:manage');
    const { shared: isShared } = await this.#items.changeable(caller, id);
    const definition = await this.#read(caller, body, { isShared, signal, warn });
    const replaced = await this.#items.replace(caller, id, definition, async (records) => {
      if (await hasRecipients(records, caller.tenantId, id)) authorize(caller, 'search');
    });
    return view(replaced);
  }

  /** Deletes a search, its schedules and runs. @throws ServiceError `forbidden`, `not_found` */
  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, 'saved-search:manage');
    await this.#items.remove(caller, id);
  }

  /**
   * Requests a run: of a schedule now (`{scheduleId}`), or a test run (`{owner, recipients}`).
   * Recipients get what it finds, so with recipients it needs the right to search as well.
   * @throws ServiceError `forbidden`, `not_found`, `body_malformed`, `request_invalid`,
   * `limit_violation`
   */
  async execute(caller: Caller, id: string, body: unknown, warn?: Warn): Promise<void> {
    authorize(caller, 'saved-search:manage');
    const now = this.#items.now();
    const requested = await this.#store.write(async (records) => {
      const search = await changeableItem(SAVED_SEARCH, records, caller, id);
      const run = await requestedRun(records, caller, search, new Members(body, ''));
      if (run.recipients.length > 0) authorize(caller, 'search');
      if ((await records.openRunCount(caller.tenantId)) >= MAX_OPEN_RUNS) {
        throw new ServiceError('limit_violation', 'Too many runs are waiting.', {
          causes: [`at most ${MAX_OPEN_RUNS} for each tenant; try again after some have ended`],
        });
      }
      await records.putSearchRun(caller.tenantId, waitingRun({ ...run, created: now }));
      await recordExecution(records, caller.tenantId, search, { actor: actorOf(caller), now });
      return search;
    });
    if (warn !== undefined) await this.#warnOf(caller, requested, warn);
  }

  /** A search that cannot be planned any more has no warnings: its run says why it failed. */
  async #warnOf(caller: Caller, search: SavedSearch, warn: Warn): Promise<void> {
    try {
      warn(await checkSearch(this.#search.checker(caller), search));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  /** Reads a definition and plans its searches. */
  async #read(
    caller: Caller,
    body: unknown,
    {
      isShared,
      signal,
      warn,
    }: {
      readonly isShared: boolean;
      readonly signal: AbortSignal | undefined;
      readonly warn: Warn | undefined;
    },
  ): Promise<SavedSearchDefinition> {
    const definition = readSavedSearch(body, isShared);
    const hints = await checkSearch(this.#search.checker(caller, signal), definition);
    warn?.(hints);
    return definition;
  }
}

/** Whether a schedule of a saved search has recipients. */
async function hasRecipients(records: Records, tenantId: string, id: string): Promise<boolean> {
  const filter = { ownerId: null, savedSearchId: id };
  const schedules = await records.scheduledSearches(tenantId, filter, ALL_SCHEDULES);
  return schedules.some(({ recipients }) => recipients.length > 0);
}

/** What a caller chooses of a run. */
type RequestedRun = Pick<
  SearchRun,
  | 'savedSearchId'
  | 'scheduleId'
  | 'ownerId'
  | 'recipients'
  | 'emailEmptyResults'
  | 'displayQueryDetails'
>;

/** A run that waits for a process. */
export function waitingRun(
  run: RequestedRun & Pick<SearchRun, 'created'> & Partial<Pick<SearchRun, 'due'>>,
): SearchRun {
  return {
    ...{ due: null, started: null, ended: null, reason: null, worker: null, results: [] },
    views: null,
    ...{ id: randomUUID(), state: 'WAITING', attempt: 0, openAt: 0, ...run },
  };
}

async function requestedRun(
  records: Records,
  caller: Caller,
  search: SavedSearch,
  members: Members,
): Promise<RequestedRun> {
  const scheduleId = members.string('scheduleId');
  const savedSearchId = search.id;
  if (scheduleId !== undefined) {
    const schedule = await records.scheduledSearch(caller.tenantId, scheduleId);
    if (schedule?.savedSearchId !== savedSearchId) {
      throw invalid('scheduleId: there is no such scheduled search of this saved search');
    }
    const { ownerId, recipients, emailEmptyResults, displayQueryDetails } = schedule;
    const choices = { recipients, emailEmptyResults, displayQueryDetails };
    return { savedSearchId, scheduleId, ownerId, ...choices };
  }
  const owner = members.members('owner');
  if (owner === undefined || members.get('recipients') === undefined) {
    throw invalid('scheduleId: needed, unless owner and recipients are given for a test run');
  }
  const ownerId = readIdentity(owner);
  if (ownerId !== search.ownerId && ownerId !== caller.identityId) {
    throw invalid('owner.id: must be the owner of the saved search, or you');
  }
  return {
    ...{ savedSearchId, scheduleId: null, ownerId, recipients: readRecipients(members) },
    emailEmptyResults: members.boolean('emailEmptyResults') ?? false,
    displayQueryDetails: false,
  };
}

/** Whether a caller has the rights of the owner. */
function isOwn(caller: Caller, { ownerId }: SavedSearch): boolean {
  return ownerId === caller.identityId || mayDo(caller, 'saved-search:all');
}

function view({ ownerId, ...search }: SavedSearch): SavedSearchView {
  return { ...search, owner: { type: 'IDENTITY', id: ownerId }, ownerId, public: false };
}
