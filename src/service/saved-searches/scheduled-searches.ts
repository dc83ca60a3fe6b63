// Scheduled searches: create, list, read, replace and delete them, and end a subscription
// (contract/search.md section 8).
// Invariant: `nextDue` is the next time after the last change or run, and null while disabled. A time
// that has come stays through a change of anything but the schedule, until a node has picked it up.

import { isDeepStrictEqual } from 'node:util';
import type { Zone } from 'luxon';
import { authorize, mayDo } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { ServiceError } from '../../errors.ts';
import { invalid, Members } from '../../query/body.ts';
import { readCollectionPage } from '../../query/collections/collection-page.ts';
import {
  changeableItem,
  type ItemKind,
  type OwnerReference,
  ownerIdOf,
} from '../owned-items/owned-item.ts';
import { OwnedItems } from '../owned-items/owned-items.ts';
import type { Schedule, ScheduledSearch } from '../ports/saved-search-records.ts';
import type { Records, Store } from '../ports/store.ts';
import { nextDue } from './due-times.ts';
import {
  type Listed,
  type ListParameters,
  readEqualities,
  SCHEDULED_SEARCH_FIELDS,
} from './list-request.ts';
import { UTC_ZONE, zoneOf } from './local-time.ts';
import { SAVED_SEARCH } from './saved-searches.ts';
import { readIdentity, readScheduledSearch } from './scheduled-search-request.ts';

/** `ScheduledSearch` of the public specification. */
export interface ScheduledSearchView
  extends Omit<ScheduledSearch, 'recipients' | 'nextDue' | 'schedule'> {
  readonly owner: OwnerReference;
  readonly schedule: Schedule;
  readonly recipients: readonly OwnerReference[];
}

const MAX_SCHEDULES_PER_SEARCH = 10;

export interface ScheduledSearchOptions {
  readonly clock?: Clock;
  /** Zone of schedules that have none. */
  readonly zone?: Zone;
}

/** Schedules as items of their owners; how many there may be is limited for each saved search. */
const SCHEDULED_SEARCH: ItemKind<ScheduledSearch> = {
  ...{ noun: 'scheduled search', object: 'SCHEDULED_SEARCH', plural: 'scheduled searches' },
  maxPerOwner: null,
  read: (records, tenantId, id) => records.scheduledSearch(tenantId, id),
  count: (records, tenantId, ownerId) =>
    records.scheduledSearchCount(tenantId, { ownerId, savedSearchId: null }),
  put: (records, tenantId, schedule) => records.putScheduledSearch(tenantId, schedule),
  remove: (records, tenantId, id) => records.deleteScheduledSearch(tenantId, id),
  isVisible: isOwn,
  mayChange: () => true,
};

/** The use cases of scheduled searches. */
export class ScheduledSearches {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #zone: Zone;
  readonly #items: OwnedItems<ScheduledSearch>;

  constructor(store: Store, { clock = systemClock, zone = UTC_ZONE }: ScheduledSearchOptions = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#zone = zone;
    this.#items = new OwnedItems(store, clock, SCHEDULED_SEARCH);
  }

  /** @throws ServiceError `forbidden`, `body_malformed`, `request_invalid` */
  async create(caller: Caller, body: unknown): Promise<ScheduledSearchView> {
    authorizeChange(caller);
    const definition = readScheduledSearch(body);
    const schedule = { ...definition, nextDue: this.#nextDue(definition, null) };
    return view(
      await this.#items.create(caller, schedule, (records, before) =>
        checkSearch(records, caller, definition.savedSearchId, before),
      ),
    );
  }

  /**
   * Your own, or those of an owner or a saved search that you may see.
   * @throws ServiceError `forbidden`, `request_invalid`
   */
  async list(
    caller: Caller,
    parameters: ListParameters = {},
  ): Promise<Listed<ScheduledSearchView>> {
    authorize(caller, 'scheduled-search:read');
    const page = readCollectionPage(parameters);
    const values = readEqualities(parameters.filters, SCHEDULED_SEARCH_FIELDS);
    const ownerId = values.get('owner.id') ?? null;
    const savedSearchId = values.get('savedSearchId') ?? null;
    // Without an owner or a saved search it is the caller's own that are listed.
    const seesAll = (ownerId ?? savedSearchId) !== null && mayDo(caller, 'scheduled-search:all');
    const filter = { ownerId, savedSearchId, readerId: seesAll ? null : ownerIdOf(caller) };
    const { read } = this.#store;
    const items = await read.scheduledSearches(caller.tenantId, filter, page);
    const total = page.count ? await read.scheduledSearchCount(caller.tenantId, filter) : null;
    return { items: items.map(view), total };
  }

  /** @throws ServiceError `forbidden`, `not_found` also for another owner's */
  async get(caller: Caller, id: string): Promise<ScheduledSearchView> {
    authorize(caller, 'scheduled-search:get');
    return view(await this.#items.visible(caller, id));
  }

  /** @throws ServiceError as create, `not_found` */
  async replace(caller: Caller, id: string, body: unknown): Promise<ScheduledSearchView> {
    authorizeChange(caller);
    await this.#items.changeable(caller, id);
    const definition = readScheduledSearch(body);
    const modified = this.#items.now();
    return this.#store.write(async (records) => {
      const before = await changeableItem(SCHEDULED_SEARCH, records, caller, id);
      await checkSearch(records, caller, definition.savedSearchId, before);
      const due = this.#nextDue(definition, before);
      const after = { ...before, ...definition, nextDue: due, modified };
      return view(await this.#items.put(records, caller, before, after));
    });
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, 'scheduled-search:manage');
    await this.#items.remove(caller, id);
  }

  /**
   * Removes a recipient: the owner and administrators any, others themselves.
   * @throws ServiceError `forbidden`, `body_malformed`, `request_invalid`; `not_found` also for an
   * identity that is no recipient
   */
  async unsubscribe(caller: Caller, id: string, body: unknown): Promise<void> {
    authorize(caller, 'scheduled-search:get');
    const recipient = readIdentity(new Members(body, ''));
    const isOwn = recipient === caller.identityId;
    if (!isOwn) authorize(caller, 'scheduled-search:manage');
    const modified = this.#items.now();
    await this.#store.write(async (records) => {
      const before = await records.scheduledSearch(caller.tenantId, id);
      const mayRemove = isOwn || (before !== null && SCHEDULED_SEARCH.isVisible(caller, before));
      if (before === null || !mayRemove || !before.recipients.includes(recipient)) {
        throw new ServiceError('not_found', 'There is no such recipient of a scheduled search.');
      }
      const recipients = before.recipients.filter((other) => other !== recipient);
      await this.#items.put(records, caller, before, { ...before, recipients, modified });
    });
  }

  /** @param before null for a new schedule */
  #nextDue(
    { enabled, schedule }: Pick<ScheduledSearch, 'enabled' | 'schedule'>,
    before: ScheduledSearch | null,
  ): number | null {
    if (!enabled) return null;
    const now = this.#clock.now();
    const isUnchanged = before !== null && isDeepStrictEqual(before.schedule, schedule);
    if (isUnchanged && before.nextDue !== null && before.nextDue <= now) return before.nextDue;
    return nextDue(schedule, now, scheduleZone(schedule, this.#zone));
  }
}

/** Recipients get what the search finds, so a schedule needs the right to search as well. */
function authorizeChange(caller: Caller): void {
  authorize(caller, 'scheduled-search:manage');
  authorize(caller, 'search');
}

/** The zone of a schedule. */
export function scheduleZone({ timeZoneId }: Schedule, byDefault: Zone): Zone {
  return timeZoneId === null ? byDefault : (zoneOf(timeZoneId) ?? byDefault);
}

/** Checks that the caller sees the saved search, and that it has room for another schedule. */
async function checkSearch(
  records: Records,
  caller: Caller,
  savedSearchId: string,
  before: ScheduledSearch | null,
): Promise<void> {
  try {
    await changeableItem(SAVED_SEARCH, records, caller, savedSearchId);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
    throw invalid('savedSearchId: there is no such saved search');
  }
  if (before?.savedSearchId === savedSearchId) return;
  const filter = { ownerId: null, savedSearchId };
  if ((await records.scheduledSearchCount(caller.tenantId, filter)) < MAX_SCHEDULES_PER_SEARCH) {
    return;
  }
  throw invalid(
    `savedSearchId: this saved search has ${MAX_SCHEDULES_PER_SEARCH} schedules already; delete one`,
  );
}

/** Whether a caller has the rights of the owner. */
function isOwn(caller: Caller, { ownerId }: Pick<ScheduledSearch, 'ownerId'>): boolean {
  return ownerId === caller.identityId || mayDo(caller, 'scheduled-search:all');
}

function view({ nextDue: _, recipients, ...schedule }: ScheduledSearch): ScheduledSearchView {
  return {
    ...schedule,
    owner: { type: 'IDENTITY', id: schedule.ownerId },
    recipients: recipients.map((id) => ({ type: 'IDENTITY', id })),
  };
}
