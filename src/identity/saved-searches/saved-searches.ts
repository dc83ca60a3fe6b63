// Saved searches: create, list, read, replace and delete them, and request a run of one
// (contract/search.md section 8).
// Invariant: a user sees only their own, an administrator all of the tenant; what is stored can be
// planned as a search.
import { randomUUID } from 'node:crypto';
import { authorize, mayDo } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { ServiceError } from '../../errors.ts';
import { invalid, Members } from '../../query/body.ts';
import { actorOf } from '../audit/audit-event.ts';
import type {
  SavedSearch,
  SavedSearchDefinition,
  SearchRun,
} from '../ports/saved-search-records.ts';
import type { Records, Store } from '../ports/store.ts';
import type { Search } from '../searching/search.ts';
import {
  type Listed,
  type ListParameters,
  readCount,
  readEqualities,
  readPage,
} from './list-request.ts';
import { recordSearchChange } from './saved-search-event.ts';
import { readSavedSearch } from './saved-search-request.ts';
import { readIdentity, readRecipients } from './scheduled-search-request.ts';
import { checkSearch } from './search-check.ts';

/** A reference to the user who owns a search. */
export interface OwnerReference {
  readonly type: 'IDENTITY';
  readonly id: string;
}

/** `SavedSearch` of the public specification. */
export interface SavedSearchView extends SavedSearchDefinition {
  readonly id: string;
  readonly owner: OwnerReference;
  readonly ownerId: string;
  readonly public: false;
  readonly created: string;
  readonly modified: string;
}

export const MAX_SEARCHES_PER_OWNER = 1_000;
/** Runs of a tenant that have not ended; schedules may exceed it. */
export const MAX_OPEN_RUNS = 100;

/** The use cases of saved searches. */
export class SavedSearches {
  readonly #store: Store;
  readonly #search: Pick<Search, 'check'>;
  readonly #clock: Clock;

  constructor(store: Store, search: Pick<Search, 'check'>, { clock = systemClock } = {}) {
    this.#store = store;
    this.#search = search;
    this.#clock = clock;
  }

  /** @throws ServiceError `forbidden`, `body_malformed`, `request_invalid`, `limit_violation` */
  async create(caller: Caller, body: unknown): Promise<SavedSearchView> {
    authorize(caller, 'saved-search:manage');
    const definition = await this.#read(caller, body);
    const now = this.#now();
    const search: SavedSearch = {
      ...definition,
      ...{ id: randomUUID(), ownerId: ownerIdOf(caller), created: now, modified: now },
    };
    await this.#store.write(async (records) => {
      const count = await records.savedSearchCount(caller.tenantId, search.ownerId);
      if (count >= MAX_SEARCHES_PER_OWNER) {
        throw new ServiceError('limit_violation', 'You have too many saved searches.', {
          causes: [`at most ${MAX_SEARCHES_PER_OWNER}; delete those that are not used`],
        });
      }
      await records.putSavedSearch(caller.tenantId, search);
      const change = { object: 'SAVED_SEARCH', before: null, after: search } as const;
      await recordSearchChange(records, caller.tenantId, change, { actor: actorOf(caller), now });
    });
    return view(search);
  }

  /** @throws ServiceError `forbidden`, `request_invalid` */
  async list(caller: Caller, parameters: ListParameters = {}): Promise<Listed<SavedSearchView>> {
    authorize(caller, 'saved-search:read');
    const page = readPage(parameters);
    const counts = readCount(parameters);
    const requested = readEqualities(parameters.filters, ['owner.id']).get('owner.id') ?? null;
    const ownerId = visibleOwner(caller, 'saved-search:all', requested);
    if (ownerId === undefined) return { items: [], total: counts ? 0 : null };
    const { read } = this.#store;
    const items = await read.savedSearches(caller.tenantId, ownerId, page);
    const total = counts ? await read.savedSearchCount(caller.tenantId, ownerId) : null;
    return { items: items.map(view), total };
  }

  /** @throws ServiceError `forbidden`, `not_found` also for another owner's search */
  async get(caller: Caller, id: string): Promise<SavedSearchView> {
    authorize(caller, 'saved-search:read');
    return view(await visibleSearch(this.#store.read, caller, id));
  }

  /**
   * Replaces a search; its owner stays.
   * @throws ServiceError as create, `not_found`
   */
  async replace(caller: Caller, id: string, body: unknown): Promise<SavedSearchView> {
    authorize(caller, 'saved-search:manage');
    await visibleSearch(this.#store.read, caller, id);
    const definition = await this.#read(caller, body);
    const now = this.#now();
    return this.#store.write(async (records) => {
      const before = await visibleSearch(records, caller, id);
      const after = { ...before, ...definition, modified: now };
      await records.putSavedSearch(caller.tenantId, after);
      const change = { object: 'SAVED_SEARCH', before, after } as const;
      await recordSearchChange(records, caller.tenantId, change, { actor: actorOf(caller), now });
      return view(after);
    });
  }

  /**
   * Deletes a search with its schedules, results and deliveries.
   * @throws ServiceError `forbidden`, `not_found`
   */
  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, 'saved-search:manage');
    const now = this.#now();
    await this.#store.write(async (records) => {
      const before = await visibleSearch(records, caller, id);
      await records.deleteSavedSearch(caller.tenantId, id);
      const change = { object: 'SAVED_SEARCH', before, after: null } as const;
      await recordSearchChange(records, caller.tenantId, change, { actor: actorOf(caller), now });
    });
  }

  /**
   * Requests a run: of a schedule now (`{scheduleId}`), or a test run (`{owner, recipients}`).
   * @throws ServiceError `forbidden`, `not_found`, `body_malformed`, `request_invalid`,
   * `limit_violation`
   */
  async execute(caller: Caller, id: string, body: unknown): Promise<void> {
    authorize(caller, 'saved-search:manage');
    const now = this.#now();
    await this.#store.write(async (records) => {
      const search = await visibleSearch(records, caller, id);
      const run = await requestedRun(records, caller, search, new Members(body, ''));
      if ((await records.openRunCount(caller.tenantId)) >= MAX_OPEN_RUNS) {
        throw new ServiceError('limit_violation', 'Too many runs are waiting.', {
          causes: [`at most ${MAX_OPEN_RUNS} for each tenant; try again after some have ended`],
        });
      }
      await records.putSearchRun(caller.tenantId, waitingRun({ ...run, created: now }));
      await recordSearchChange(
        records,
        caller.tenantId,
        { object: 'SAVED_SEARCH', execution: search },
        { actor: actorOf(caller), now },
      );
    });
  }

  /** Reads a definition and plans its searches. */
  async #read(caller: Caller, body: unknown): Promise<SavedSearchDefinition> {
    const definition = readSavedSearch(body);
    await checkSearch(this.#search, caller, definition);
    return definition;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
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
    ...{ emailEmptyResults: true, displayQueryDetails: false },
  };
}

/**
 * The owner to whose searches a list is restricted: null for all, undefined if the caller may see
 * none of those.
 */
export function visibleOwner(
  caller: Caller,
  all: 'saved-search:all' | 'scheduled-search:all',
  requested: string | null,
): string | null | undefined {
  if (mayDo(caller, all)) return requested;
  return requested === null || requested === caller.identityId ? ownerIdOf(caller) : undefined;
}

/** @throws ServiceError `not_found` also for another owner's search */
export async function visibleSearch(
  records: Pick<Records, 'savedSearch'>,
  caller: Caller,
  id: string,
): Promise<SavedSearch> {
  const search = await records.savedSearch(caller.tenantId, id);
  if (search === null || visibleOwner(caller, 'saved-search:all', search.ownerId) === undefined) {
    throw new ServiceError('not_found', `There is no saved search ${id.slice(0, 60)}.`);
  }
  return search;
}

/** The identity of a caller; the access table admits only users. */
export function ownerIdOf({ identityId }: Caller): string {
  if (identityId === null) throw new Error('an API client owns no searches');
  return identityId;
}

function view({ ownerId, ...search }: SavedSearch): SavedSearchView {
  return { ...search, owner: { type: 'IDENTITY', id: ownerId }, ownerId, public: false };
}
