// The use cases of profiles: list, read, create, update and delete, one or many at a time, and the
// jobs of large deletions (contract/profiles.md sections 4 and 7).
// Invariant: a call is one transaction with its audit events; a bulk call writes everything or
// nothing, except a deletion that is a job, whose records each have an outcome.
import { authorize } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import { TurnQueue } from '../../scheduling/turn-queue.ts';
import type { Job, Profile, ProfileFilters, ProfileOrder } from '../ports/profile-records.ts';
import type { AnswerMemory } from '../ports/search-backend.ts';
import type { Store, WritableRecords } from '../ports/store.ts';
import { recordChanges } from './change-event.ts';
import { addDeletionJob, DELETED_AT_ONCE_MAX, newJobId } from './deletion-job.ts';
import {
  type FieldErrors,
  isFaultless,
  parameterMissing,
  recordRefused,
  resourceMissing,
  setErrors,
} from './faults.ts';
import {
  PROFILE_STATUSES,
  PROOFING_STATUSES,
  type ProfileRequest,
  statusOf,
} from './profile-draft.ts';
import { byKey, findAll, objectsOf, refuseRepeated } from './profile-targets.ts';
import { ProfileWriter } from './profile-writer.ts';
import type { Collection, FilterValue, Page, PageRequest } from './resources/collection.ts';
import { COMMON_FILTERS } from './resources/field-filters.ts';
import { unwrapMany, unwrapOne } from './resources/record-reader.ts';
import type { ReferableKind } from './resources/resources.ts';
import {
  referencesOf,
  type ShownProfile,
  showProfiles,
  withoutAttributes,
} from './shown-profiles.ts';
import { foldText } from './values/fold-text.ts';

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
  orders: ['id', 'uid', 'name', 'status', 'profileTypeId', 'createdAt', 'updatedAt'],
};

/** Parameters of a page of profiles. */
export interface ProfilePageRequest extends PageRequest {
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
}

export class ProfileCases {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #turns: TurnQueue;

  constructor(store: Store, { clock = systemClock, turns }: ProfileCaseOptions = {}) {
    this.#store = store;
    this.#clock = clock;
    this.#turns = turns ?? new TurnQueue();
  }

  /**
   * @param memory counts a large page while it is read
   * @throws ServiceError `forbidden`; `request_invalid` if the page would be too large
   */
  async list(
    caller: Caller,
    request: ProfilePageRequest,
    memory?: AnswerMemory,
  ): Promise<Page<ShownProfile>> {
    authorize(caller, 'profiles:read');
    const { read } = this.#store;
    const { tenantId } = caller;
    const { limit, offset, order, afterId, metadata, excludeAttributes } = request;
    const filters = await this.#filtersOf(tenantId, request);
    const window =
      afterId === null
        ? { order: (order ?? 'createdAt') as ProfileOrder, offset, limit }
        : { afterId, limit };
    const pause = () => this.#turns.next();
    const page = await read.profilePage(tenantId, filters, window, pause);
    const rows = excludeAttributes
      ? page.map(withoutAttributes)
      : await showProfiles(read, tenantId, page, { pause, memory });
    const total = metadata ? await read.countProfiles(tenantId, filters) : null;
    return afterId === null ? { rows, total } : { rows, total, afterId: page.at(-1)?.id ?? null };
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

  /** @throws ServiceError `forbidden`, `request_invalid`, `not_found` */
  async job(caller: Caller, id: string | undefined): Promise<Job> {
    authorize(caller, 'profiles:read');
    if (id === undefined || id === '') throw parameterMissing('job_id');
    const job = await this.#store.read.job(caller.tenantId, id);
    if (job === null) throw resourceMissing('Job');
    return job;
  }

  async #filtersOf(
    tenantId: string,
    { filters, afterId, updatedAfter }: ProfilePageRequest,
  ): Promise<ProfileFilters> {
    const { uid, name, nameContains: part, status, idProofingStatus, archived } = filters;
    const idOf = async (to: ReferableKind, key: FilterValue | undefined) =>
      key === undefined
        ? undefined
        : ((await this.#store.read.resourceId(tenantId, to, String(key))) ?? String(key));
    const id = await idOf('profile', filters['id']);
    const profileTypeId = await idOf('profileType', filters['profileTypeId']);
    return {
      ...(id === undefined ? {} : { id }),
      ...(uid === undefined ? {} : { uid: String(uid) }),
      ...(name === undefined ? {} : { name: foldText(String(name)) }),
      ...(part === undefined ? {} : { nameContains: foldText(String(part)) }),
      ...(profileTypeId === undefined ? {} : { profileTypeId }),
      ...(status === undefined ? {} : { status: statusOf(status) ?? '' }),
      ...(idProofingStatus === undefined ? {} : { idProofingStatus: String(idProofingStatus) }),
      ...spanOf(filters['createdAt'], 'createdFrom', 'createdBefore'),
      ...spanOf(filters['updatedAt'], 'updatedFrom', 'updatedBefore'),
      ...(updatedAfter === null ? {} : { updatedAfter }),
      // Pages by id include archived profiles.
      ...(afterId === null ? { archived: archived === true } : {}),
    };
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

/** A filter by time as two conditions of the store. */
function spanOf<F extends keyof ProfileFilters, B extends keyof ProfileFilters>(
  span: FilterValue | undefined,
  from: F,
  before: B,
): Partial<Record<F | B, string>> {
  if (typeof span !== 'object') return {};
  return { [from]: span.from, [before]: span.before } as Record<F | B, string>;
}
