// Scheduled searches: create, list, read, replace and delete them, and end a subscription
// (contract/search.md section 8).
// Invariant: `nextDue` is the next time after the last change or run, and null while disabled.
import { randomUUID } from 'node:crypto';
import type { IANAZone } from 'luxon';
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { ServiceError } from '../../errors.ts';
import { invalid, Members } from '../../query/body.ts';
import { actorOf } from '../audit/audit-event.ts';
import type { Schedule, ScheduledSearch } from '../ports/saved-search-records.ts';
import type { Records, Store, WritableRecords } from '../ports/store.ts';
import { nextDue } from './due-times.ts';
import {
  type Listed,
  type ListParameters,
  readCount,
  readEqualities,
  readPage,
} from './list-request.ts';
import { UTC_ZONE, zoneOf } from './local-time.ts';
import { recordSearchChange } from './saved-search-event.ts';
import { type OwnerReference, ownerIdOf, visibleOwner, visibleSearch } from './saved-searches.ts';
import { readIdentity, readScheduledSearch } from './scheduled-search-request.ts';

/** `ScheduledSearch` of the public specification. */
export interface ScheduledSearchView
  extends Omit<ScheduledSearch, 'recipients' | 'nextDue' | 'schedule'> {
  readonly owner: OwnerReference;
  readonly schedule: Schedule;
  readonly recipients: readonly OwnerReference[];
}

export const MAX_SCHEDULES_PER_SEARCH = 10;

export interface ScheduledSearchOptions {
  readonly clock?: Clock;
  /** Zone of schedules that have none. */
  readonly zone?: IANAZone;
}

/** The use cases of scheduled searches. */
export class ScheduledSearches {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #zone: IANAZone;

  constructor(store: Store, options: ScheduledSearchOptions = {}) {
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#zone = options.zone ?? UTC_ZONE;
  }

  /** @throws ServiceError `forbidden`, `body_malformed`, `request_invalid` */
  async create(caller: Caller, body: unknown): Promise<ScheduledSearchView> {
    authorize(caller, 'scheduled-search:manage');
    const definition = readScheduledSearch(body);
    const { created, nextOf } = this.#time();
    return this.#store.write(async (records) => {
      await checkSearch(records, caller, definition.savedSearchId, null);
      const schedule: ScheduledSearch = {
        ...definition,
        ...{ id: randomUUID(), ownerId: ownerIdOf(caller), created, modified: created },
        nextDue: nextOf(definition),
      };
      return this.#put(records, caller, null, schedule);
    });
  }

  /** @throws ServiceError `forbidden`, `request_invalid` */
  async list(
    caller: Caller,
    parameters: ListParameters = {},
  ): Promise<Listed<ScheduledSearchView>> {
    authorize(caller, 'scheduled-search:read');
    const page = readPage(parameters);
    const counts = readCount(parameters);
    const values = readEqualities(parameters.filters, ['owner.id', 'savedSearchId']);
    const requested = values.get('owner.id') ?? null;
    const ownerId = visibleOwner(caller, 'scheduled-search:all', requested);
    if (ownerId === undefined) return { items: [], total: counts ? 0 : null };
    const filter = { ownerId, savedSearchId: values.get('savedSearchId') ?? null };
    const { read } = this.#store;
    const items = await read.scheduledSearches(caller.tenantId, filter, page);
    const total = counts ? await read.scheduledSearchCount(caller.tenantId, filter) : null;
    return { items: items.map(view), total };
  }

  /** @throws ServiceError `forbidden`, `not_found` also for another owner's */
  async get(caller: Caller, id: string): Promise<ScheduledSearchView> {
    authorize(caller, 'scheduled-search:get');
    return view(await visibleSchedule(this.#store.read, caller, id));
  }

  /** @throws ServiceError as create, `not_found` */
  async replace(caller: Caller, id: string, body: unknown): Promise<ScheduledSearchView> {
    authorize(caller, 'scheduled-search:manage');
    await visibleSchedule(this.#store.read, caller, id);
    const definition = readScheduledSearch(body);
    const { created: modified, nextOf } = this.#time();
    return this.#store.write(async (records) => {
      const before = await visibleSchedule(records, caller, id);
      await checkSearch(records, caller, definition.savedSearchId, before);
      const after = { ...before, ...definition, modified, nextDue: nextOf(definition) };
      return this.#put(records, caller, before, after);
    });
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, 'scheduled-search:manage');
    const { created: now } = this.#time();
    await this.#store.write(async (records) => {
      const before = await visibleSchedule(records, caller, id);
      await records.deleteScheduledSearch(caller.tenantId, id);
      const change = { object: 'SCHEDULED_SEARCH', before, after: null } as const;
      await recordSearchChange(records, caller.tenantId, change, { actor: actorOf(caller), now });
    });
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
    const { created: modified } = this.#time();
    await this.#store.write(async (records) => {
      const before = await records.scheduledSearch(caller.tenantId, id);
      const mayRemove = isOwn || (before !== null && isVisible(caller, before));
      if (before === null || !mayRemove || !before.recipients.includes(recipient)) {
        throw new ServiceError('not_found', 'There is no such recipient of a scheduled search.');
      }
      const recipients = before.recipients.filter((other) => other !== recipient);
      await this.#put(records, caller, before, { ...before, recipients, modified });
    });
  }

  async #put(
    records: WritableRecords,
    caller: Caller,
    before: ScheduledSearch | null,
    after: ScheduledSearch,
  ): Promise<ScheduledSearchView> {
    await records.putScheduledSearch(caller.tenantId, after);
    const change = { object: 'SCHEDULED_SEARCH', before, after } as const;
    const origin = { actor: actorOf(caller), now: after.modified };
    await recordSearchChange(records, caller.tenantId, change, origin);
    return view(after);
  }

  /** The time of a change, and the next time of a schedule after it. */
  #time() {
    const now = this.#clock.now();
    return {
      created: new Date(now).toISOString(),
      nextOf: ({ enabled, schedule }: Pick<ScheduledSearch, 'enabled' | 'schedule'>) =>
        enabled ? nextDue(schedule, now, scheduleZone(schedule, this.#zone)) : null,
    };
  }
}

/** The zone of a schedule. */
export function scheduleZone({ timeZoneId }: Schedule, byDefault: IANAZone): IANAZone {
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
    await visibleSearch(records, caller, savedSearchId);
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

async function visibleSchedule(
  records: Pick<Records, 'scheduledSearch'>,
  caller: Caller,
  id: string,
): Promise<ScheduledSearch> {
  const schedule = await records.scheduledSearch(caller.tenantId, id);
  if (schedule !== null && isVisible(caller, schedule)) return schedule;
  throw new ServiceError('not_found', `There is no scheduled search ${id.slice(0, 60)}.`);
}

function isVisible(caller: Caller, { ownerId }: ScheduledSearch): boolean {
  return visibleOwner(caller, 'scheduled-search:all', ownerId) !== undefined;
}

function view({ nextDue: _, recipients, ...schedule }: ScheduledSearch): ScheduledSearchView {
  return {
    ...schedule,
    owner: { type: 'IDENTITY', id: schedule.ownerId },
    recipients: recipients.map((id) => ({ type: 'IDENTITY', id })),
  };
}
