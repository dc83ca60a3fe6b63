// The use cases of profiles: list, read, create, update and delete, one or many at a time, and the
// jobs of large deletions (contract/profiles.md sections 4 and 7).
// Invariant: a call is one transaction with its audit events; a bulk call writes everything or
// nothing, except a deletion that is a job, whose records each have an outcome.
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { TurnQueue } from '../../scheduling/turn-queue.ts';
import type { Collection, Page } from '../ports/collection.ts';
import type { Job, Profile, ProfileOrder } from '../ports/profile-records.ts';
import type { BetweenStatements, Condition } from '../ports/profile-search.ts';
import type { Waiter } from '../ports/search-backend.ts';
import type { Store, WritableRecords } from '../ports/store.ts';
import { byKey, findAll, objectsOf, refuseRepeated } from './profile-targets.ts';
import { ProfileWriter } from './profile-writer.ts';
import { recordChanges } from './resources/change-event.ts';
import { addDeletionJob, DELETED_AT_ONCE_MAX, newJobId } from './resources/deletion-job.ts';
import {
  type FieldErrors,
  isFaultless,
  parameterMissing,
  parameterRefused,
  recordRefused,
  resourceMissing,
  setErrors,
} from './resources/faults.ts';
import { COMMON_FILTERS } from './resources/field-filters.ts';
import { attributeHint, formOf, misplacedMembers } from './resources/misplaced-members.ts';
import { unwrapMany, unwrapOne } from './resources/record-reader.ts';
import {
  attributeFilters,
  conditionsOfFilters,
  type ProfileFilterRequest,
  recordFilters,
} from './rules/profile-filters.ts';
import { SEARCH_TIMEOUT_MS, searchPauses, searchProfiles } from './rules/profile-search.ts';
import {
  PROFILE_MEMBERS,
  PROFILE_STATUSES,
  PROOFING_STATUSES,
  type ProfileRequest,
} from './values/profile-draft.ts';
import {
  referencesOf,
  type ShownProfile,
  showProfiles,
  withoutAttributes,
} from './values/shown-profiles.ts';

/** Profiles as a collection. */
export const PROFILES: Collection = {
  key: 'profiles',
  limitMax: 500,
  filters: {
    id: COMMON_FILTERS.id,
    uid: COMMON_FILTERS.uid,
    name: { type: 'text' },
    nameContains: { type: 'part', of: 'name' },
    profileTypeId: { type: 'reference', to: 'profileType' },
    status: { type: 'word', words: [...PROFILE_STATUSES, 'Leave of absence'] },
    idProofingStatus: { type: 'word', words: PROOFING_STATUSES },
    archived: { type: 'flag' },
    attributes: { type: 'none' },
    createdAt: COMMON_FILTERS.createdAt,
    updatedAt: COMMON_FILTERS.updatedAt,
  },
  parameters: ['after_id', 'updated_after', 'exclude_attributes'],
  isOpen: true,
  orders: ['id', 'uid', 'name', 'status', 'profileTypeId', 'createdAt', 'updatedAt'],
};

/** Parameters of a page of profiles. */
export interface ProfilePageRequest extends ProfileFilterRequest {
  /** Pages by id: the last id of the previous page; null: pages by offset. */
  readonly afterId: string | null;
  /** ISO 8601 in UTC with milliseconds. */
  readonly updatedAfter: string | null;
  readonly excludeAttributes: boolean;
}

/** The result of a bulk deletion: the deleted records, or the id of a job. */
export type Deletion = { readonly profiles: readonly ShownProfile[] } | { readonly jobId: string };

export interface ProfileCaseOptions {
  readonly clock?: Clock;
  /** Shared with other users of profiles; if omitted, a new one. */
  readonly turns?: TurnQueue;
  /** Milliseconds that a list may take that is filtered by attributes. */
  readonly timeoutMs?: number;
}

/** Unknown members of a body that may be attributes. */
const UNKNOWN_MAX = 100;

export class ProfileCases {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #turns: TurnQueue;
  readonly #timeoutMs: number;

  constructor(store: Store, options: ProfileCaseOptions = {}) {
    const { clock = systemClock, turns, timeoutMs = SEARCH_TIMEOUT_MS } = options;
    this.#store = store;
    this.#clock = clock;
    this.#turns = turns ?? new TurnQueue();
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @throws ServiceError `forbidden`; `request_invalid` for a filter on an attribute, or if the page
   * would be too large; `deadline_exceeded`, `cancelled`
   */
  async list(
    caller: Caller,
    request: ProfilePageRequest,
    { signal, memory }: Waiter = {},
  ): Promise<Page<ShownProfile>> {
    authorize(caller, 'profiles:read');
    const { read } = this.#store;
    const { tenantId } = caller;
    const { afterId, excludeAttributes, others } = request;
    const pause = searchPauses(this.#turns, this.#timeoutMs, signal);
    const onValues = await attributeFilters(read, tenantId, others);
    const [uid] = onValues.uids;
    if (afterId !== null && uid !== undefined)
      throw parameterRefused(`after_id cannot be combined with ${uid}`);
    const { profiles, total } = await this.#page(tenantId, request, onValues.conditions, pause);
    const rows = excludeAttributes
      ? profiles.map(withoutAttributes)
      : await showProfiles(read, tenantId, profiles, { pause, memory });
    const { unknown } = onValues;
    if (afterId === null) return { rows, total, unknown };
    return { rows, total, unknown, afterId: profiles.at(-1)?.id ?? null };
  }

  /** @param conditions those of filters on attributes */
  async #page(
    tenantId: string,
    request: ProfilePageRequest,
    conditions: readonly Condition[],
    pause: BetweenStatements,
  ): Promise<{ readonly profiles: readonly Profile[]; readonly total: number | null }> {
    const { read } = this.#store;
    const { limit, offset, afterId, updatedAfter, metadata } = request;
    const order = (request.order ?? 'createdAt') as ProfileOrder;
    const archived = request.filters['archived'] === true;
    const filters = {
      ...(await recordFilters(read, tenantId, request.filters)),
      ...(updatedAfter === null ? {} : { updatedAfter }),
    };
    if (conditions.length > 0) {
      const search = {
        ...{ archived, order, offset, limit, total: metadata },
        conditions: [...conditionsOfFilters(filters), ...conditions],
      };
      return searchProfiles(read, tenantId, search, pause);
    }
    // Pages by id include archived profiles.
    const listed = afterId === null ? { ...filters, archived } : filters;
    const window = afterId === null ? { order, offset, limit } : { afterId, limit };
    const profiles = await read.profilePage(tenantId, listed, window, pause);
    return { profiles, total: metadata ? await read.countProfiles(tenantId, listed) : null };
  }

  /**
   * One profile.
   * @param withReferences also returns `references`: the records that its values refer to
   * @throws ServiceError `forbidden`, `not_found`
   */
  async get(
    caller: Caller,
    idOrUid: string,
    { withReferences = false }: { readonly withReferences?: boolean } = {},
  ): Promise<ShownProfile> {
    authorize(caller, 'profiles:read');
    const { read } = this.#store;
    const profile = byKey(await read.profilesByKey(caller.tenantId, [idOrUid])).get(idOrUid);
    if (profile === undefined) throw resourceMissing('Profile');
    const pause = () => this.#turns.next();
    const [shown] = await showProfiles(read, caller.tenantId, [profile], { pause });
    if (!withReferences) return shown ?? {};
    return { ...shown, references: await referencesOf(read, caller.tenantId, profile.id) };
  }

  /** @throws ServiceError `forbidden`, `request_invalid` */
  async create(caller: Caller, body: unknown): Promise<ShownProfile> {
    authorize(caller, 'profiles:write');
    const request = { body: unwrapOne(body, 'profile'), before: null };
    return this.#store.write(async (records) => {
      const [shown] = await this.#writeAll(records, caller, 'create', 'profile', [request]);
      return shown ?? {};
    });
  }

  /** @throws ServiceError `forbidden`, `request_invalid`, `not_found` */
  async update(caller: Caller, idOrUid: string, body: unknown): Promise<ShownProfile> {
    authorize(caller, 'profiles:write');
    const members = unwrapOne(body, 'profile');
    return this.#store.write(async (records) => {
      const matches = await records.profilesByKey(caller.tenantId, [idOrUid]);
      const before = byKey(matches).get(idOrUid);
      if (before === undefined) throw resourceMissing('Profile');
      const requests = [{ body: members, before }];
      const [shown] = await this.#writeAll(records, caller, 'update', 'profile', requests);
      return shown ?? {};
    });
  }

  /** @throws ServiceError `forbidden`, `request_invalid` with errors by array index */
  async createMany(caller: Caller, body: unknown): Promise<readonly ShownProfile[]> {
    authorize(caller, 'profiles:write');
    const errors: FieldErrors = {};
    const requests = objectsOf(unwrapMany(body, 'profiles'), errors).map((members) => ({
      body: members,
      before: null,
    }));
    if (!isFaultless(errors)) throw recordRefused('profiles', 'create', errors);
    return this.#store.write((records) =>
      this.#writeAll(records, caller, 'create', 'profiles', requests),
    );
  }

  /** @throws ServiceError `forbidden`, `request_invalid` with errors by array index */
  async updateMany(caller: Caller, body: unknown): Promise<readonly ShownProfile[]> {
    authorize(caller, 'profiles:write');
    const errors: FieldErrors = {};
    const bodies = objectsOf(unwrapMany(body, 'profiles'), errors);
    if (!isFaultless(errors)) throw recordRefused('profiles', 'update', errors);
    return this.#store.write(async (records) => {
      const stored = await findAll(records, caller.tenantId, bodies, errors);
      refuseRepeated(stored, errors);
      if (!isFaultless(errors)) throw recordRefused('profiles', 'update', errors);
      const requests = bodies.map((members, place) => ({
        body: members,
        before: stored[place] ?? null,
      }));
      return this.#writeAll(records, caller, 'update', 'profiles', requests);
    });
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async remove(caller: Caller, idOrUid: string): Promise<void> {
    authorize(caller, 'profiles:write');
    await this.#store.write(async (records) => {
      const matches = await records.profilesByKey(caller.tenantId, [idOrUid]);
      const profile = byKey(matches).get(idOrUid);
      if (profile === undefined) throw resourceMissing('Profile');
      await this.#delete(records, caller, [profile]);
    });
  }

  /**
   * Deletes many: up to DELETED_AT_ONCE_MAX all or none, more as a job that lists the failed
   * records.
   * @throws ServiceError `forbidden`, `request_invalid` with errors by array index
   */
  async removeMany(caller: Caller, body: unknown): Promise<Deletion> {
    authorize(caller, 'profiles:write');
    const errors: FieldErrors = {};
    const bodies = objectsOf(unwrapMany(body, 'profiles'), errors);
    if (!isFaultless(errors)) throw recordRefused('profiles', 'delete', errors);
    return this.#store.write(async (records) => {
      const stored = await findAll(records, caller.tenantId, bodies, errors);
      const profiles = [...new Set(stored.flatMap((profile) => profile ?? []))];
      if (bodies.length > DELETED_AT_ONCE_MAX) {
        return { jobId: await this.#deleteAsJob(records, caller, bodies, stored, profiles) };
      }
      if (!isFaultless(errors)) throw recordRefused('profiles', 'delete', errors);
      const shown = await showProfiles(records, caller.tenantId, profiles);
      await this.#delete(records, caller, profiles);
      return { profiles: shown };
    });
  }

  /**
   * Hints about a body to write: what it has in the wrong place, attributes among the members of
   * profiles included.
   * @throws ServiceError `forbidden`
   */
  async misplacedIn(caller: Caller, body: unknown, wrapper: string): Promise<readonly string[]> {
    authorize(caller, 'profiles:write');
    const form = formOf(wrapper, ['references', ...PROFILE_MEMBERS]);
    const { hints, unknown } = misplacedMembers(body, form);
    if (unknown.length === 0) return hints;
    const names = unknown.slice(0, UNKNOWN_MAX);
    const attributes = await this.#store.read.attributesBy(caller.tenantId, 'uid', names);
    return [...hints, ...attributes.map(({ uid }) => attributeHint(uid, wrapper))];
  }

  /** @throws ServiceError `forbidden`, `request_invalid`, `not_found` */
  async job(caller: Caller, id: string | undefined): Promise<Job> {
    authorize(caller, 'profiles:read');
    if (id === undefined || id === '') throw parameterMissing('job_id');
    const job = await this.#store.read.job(caller.tenantId, id);
    if (job === null) throw resourceMissing('Job');
    return job;
  }

  async #writeAll(
    records: WritableRecords,
    caller: Caller,
    verb: 'create' | 'update',
    noun: 'profile' | 'profiles',
    requests: readonly ProfileRequest[],
  ): Promise<readonly ShownProfile[]> {
    const { tenantId } = caller;
    const now = this.#now();
    const { drafts, changed } = await new ProfileWriter(records, tenantId, now).write(requests);
    const errors: FieldErrors = {};
    for (const [place, draft] of drafts.entries()) {
      for (const [member, sentences] of Object.entries(draft.errors))
        setErrors(errors, noun === 'profiles' ? `${place}.${member}` : member, sentences);
    }
    if (!isFaultless(errors)) throw recordRefused(noun, verb, errors);
    const operation = verb === 'create' ? 'CREATE' : 'MODIFY';
    if (changed.length > 0) {
      const states = changed.map((profile) => {
        const { id, name } = profile.after;
        return { id, name, ...profile };
      });
      await recordChanges(records, caller, { operation, title: 'Profile', at: now }, states);
    }
    return showProfiles(
      records,
      tenantId,
      drafts.map(({ profile }) => profile),
    );
  }

  async #delete(
    records: WritableRecords,
    caller: Caller,
    profiles: readonly Profile[],
    jobId?: string,
  ): Promise<void> {
    if (profiles.length === 0) return;
    await records.deleteProfiles(
      caller.tenantId,
      profiles.map(({ id }) => id),
    );
    const change = { operation: 'DELETE', title: 'Profile', at: this.#now() } as const;
    const ofJob = jobId === undefined ? {} : { jobId };
    const states = profiles.map((before) => {
      return { id: before.id, name: before.name, before, after: null };
    });
    await recordChanges(records, caller, { ...change, ...ofJob }, states);
  }

  async #deleteAsJob(
    records: WritableRecords,
    caller: Caller,
    bodies: readonly ReadonlyMap<string, unknown>[],
    stored: readonly (Profile | null)[],
    profiles: readonly Profile[],
  ): Promise<string> {
    const now = this.#clock.now();
    const id = newJobId(now);
    await this.#delete(records, caller, profiles, id);
    const jobData = stored.map((profile, place) => {
      if (profile !== null) return { id: profile.id, errors: [] };
      const key = bodies[place]?.get('id');
      return { id: typeof key === 'string' ? key : '', errors: ['was not found'] };
    });
    await addDeletionJob(records, caller.tenantId, id, jobData, now);
    return id;
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
