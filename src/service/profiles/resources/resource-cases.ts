// The use cases of all kinds in resources.ts: list, read, create, update and delete, one or many at
// a time.
// Invariant: a call is one transaction with its audit events; a bulk call writes everything or
// nothing, except a deletion that is a job, whose records each have an outcome.
import { setImmediate as turn } from 'node:timers/promises';
import { authorize } from '../../../auth/access.ts';
import type { Caller } from '../../../auth/caller.ts';
import { type Clock, systemClock } from '../../../auth/clock.ts';
import type { Condition, FilterValue, Page, PageRequest } from '../../ports/collection.ts';
import type {
  ReferableKind,
  Resource,
  ResourceKind,
  ResourceTypes,
} from '../../ports/resources.ts';
import type { Store, WritableRecords } from '../../ports/store.ts';
import { recordChanges } from './change-event.ts';
import {
  addDeletionJob,
  DELETED_AT_ONCE_MAX,
  type DeletionOutcome,
  newJobId,
} from './deletion-job.ts';
import type { Descriptor, Draft } from './descriptor.ts';
import { descriptors } from './descriptors.ts';
import {
  addError,
  type FieldErrors,
  isFaultless,
  recordRefused,
  resourceMissing,
  type Verb,
} from './faults.ts';
import { membersOf } from './members-of.ts';
import { readRecord, unwrapMany, unwrapOne } from './record-reader.ts';
import { wireName, wireValue } from './wire-names.ts';

/** Records of a bulk call between two turns of the event loop: 20 take about 10 ms. */
const TURN_EVERY = 20;

/** A record with wire names. */
export type Shown = Readonly<Record<string, unknown>>;

/** The result of deleting many records: the records as they were, or the id of a job. */
export type Deletion = { readonly records: readonly Shown[] } | { readonly jobId: string };

export class ResourceCases {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, { clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws ServiceError `forbidden` */
  async list(caller: Caller, kind: ResourceKind, request: PageRequest): Promise<Page<Shown>> {
    authorize(caller, 'profiles:read');
    const { read } = this.#store;
    const idOf = async (to: ReferableKind, key: FilterValue) =>
      (await read.resourceId(caller.tenantId, to, String(key))) ?? String(key);
    const where = await Promise.all(
      Object.entries(request.filters).map(([member, value]) =>
        conditionOf(kind, member, value, idOf),
      ),
    );
    const { limit, offset, order, metadata: total } = request;
    const page = await read.resourcePage(caller.tenantId, kind, {
      where,
      limit,
      offset,
      order,
      total,
    });
    return { ...page, rows: page.rows.map((record) => shown(descriptors[kind], record)) };
  }

  /** @throws ServiceError `forbidden`, `not_found` */
  async get(caller: Caller, kind: ResourceKind, idOrUid: string): Promise<Shown> {
    authorize(caller, 'profiles:read');
    const record = await this.#store.read.resource(caller.tenantId, kind, idOrUid);
    if (record === null) throw resourceMissing(descriptors[kind].title);
    return shown(descriptors[kind], record);
  }

  /** @throws ServiceError `forbidden`, `request_invalid` */
  async create(caller: Caller, kind: ResourceKind, body: unknown): Promise<Shown> {
    authorize(caller, 'profiles:write');
    const descriptor = descriptors[kind];
    const members = unwrapOne(body, descriptor.singular);
    return this.#write(caller, descriptor, 'create', async (run) => {
      const created = await run.write(null, members, run.errors);
      return created === null ? {} : shown(descriptor, created);
    });
  }

  /** @throws ServiceError `forbidden`, `request_invalid` with errors by array index */
  async createMany(caller: Caller, kind: ResourceKind, body: unknown): Promise<readonly Shown[]> {
    authorize(caller, 'profiles:write');
    const descriptor = descriptors[kind];
    const bodies = unwrapMany(body, descriptor.collection.key);
    return this.#write(caller, descriptor, 'create', (run) =>
      run.writeAll(bodies, async () => null),
    );
  }

  /** @throws ServiceError `forbidden`, `request_invalid`, `not_found` */
  async update(caller: Caller, kind: ResourceKind, idOrUid: string, body: unknown): Promise<Shown> {
    authorize(caller, 'profiles:write');
    const descriptor = descriptors[kind];
    const members = unwrapOne(body, descriptor.singular);
    return this.#write(caller, descriptor, 'update', async (run) => {
      const before = await run.records.resource(caller.tenantId, kind, idOrUid);
      if (before === null) throw resourceMissing(descriptor.title);
      const changed = await run.write(before, members, run.errors);
      return changed === null ? {} : shown(descriptor, changed);
    });
  }

  /** @throws ServiceError `forbidden`, `request_invalid` with errors by array index */
  async updateMany(caller: Caller, kind: ResourceKind, body: unknown): Promise<readonly Shown[]> {
    authorize(caller, 'profiles:write');
    const descriptor = descriptors[kind];
    const bodies = unwrapMany(body, descriptor.collection.key);
    return this.#write(caller, descriptor, 'update', (run) => {
      const seen = new Set<string>();
      return run.writeAll(bodies, async (members, errors) => {
        const id = members.get('id');
        if (typeof id !== 'string')
          addError(errors, 'id', id === undefined ? "can't be blank" : 'must be a string');
        const before =
          typeof id === 'string' ? await run.records.resource(caller.tenantId, kind, id) : null;
        if (before === null && typeof id === 'string') addError(errors, 'id', 'was not found');
        if (before !== null && seen.has(before.id))
          addError(errors, 'id', 'is there more than once');
        if (before !== null) seen.add(before.id);
        return before;
      });
    });
  }

  /**
   * Deletes a record and its dependents.
   * @returns the record before the deletion
   * @throws ServiceError `forbidden`, `request_invalid`, `not_found`
   */
  async remove(caller: Caller, kind: ResourceKind, idOrUid: string): Promise<Shown> {
    authorize(caller, 'profiles:write');
    const descriptor = descriptors[kind];
    const { tenantId } = caller;
    return this.#write(caller, descriptor, 'delete', async ({ records, errors, now, changed }) => {
      const record = await records.resource(tenantId, kind, idOrUid);
      if (record === null) throw resourceMissing(descriptor.title);
      await descriptor.beforeDelete?.(record, { records, tenantId, now, errors });
      if (isFaultless(errors)) await records.deleteResource(tenantId, kind, record.id);
      changed.push({ before: record, after: null });
      return shown(descriptor, record);
    });
  }

  /**
   * Deletes many records by `id`: up to DELETED_AT_ONCE_MAX all or none, more as a job that lists
   * the records it could not delete.
   * @throws ServiceError `forbidden`, `request_invalid` with errors by array index
   */
  async removeMany(caller: Caller, kind: ResourceKind, body: unknown): Promise<Deletion> {
    authorize(caller, 'profiles:write');
    const descriptor = descriptors[kind];
    const bodies = unwrapMany(body, descriptor.collection.key);
    return this.#write(caller, descriptor, 'delete', async (run) => {
      const { records, outcomes } = await run.removeAll(bodies);
      if (bodies.length <= DELETED_AT_ONCE_MAX) {
        for (const [place, { errors }] of outcomes.entries()) {
          for (const [member, sentences] of Object.entries(errors)) {
            run.errors[member === '' ? String(place) : `${place}.${member}`] = sentences;
          }
        }
        return { records: records.map((record) => shown(descriptor, record)) };
      }
      const now = this.#clock.now();
      run.jobId = newJobId(now);
      const jobData = outcomes.map(({ id, errors }): DeletionOutcome => {
        return { id, errors: Object.values(errors).flat().map(String) };
      });
      await addDeletionJob(run.records, caller.tenantId, run.jobId, jobData, now);
      return { jobId: run.jobId };
    });
  }

  /** Runs a call in a transaction, rejects it if there are errors, and writes its audit events. */
  #write<T>(
    caller: Caller,
    descriptor: Descriptor,
    verb: Exclude<Verb, 'run'>,
    work: (run: Run) => Promise<T>,
  ): Promise<T> {
    return this.#store.write(async (records) => {
      const now = new Date(this.#clock.now()).toISOString();
      const run = new Run(records, caller.tenantId, descriptor, now);
      const result = await work(run);
      if (!isFaultless(run.errors)) {
        const noun = run.many ? descriptor.collection.key : descriptor.singular;
        throw recordRefused(noun.replaceAll('_', ' '), verb, run.errors);
      }
      const changed = run.changed.map(({ before, after }) => ({
        id: (after ?? before).id,
        name: descriptor.nameOf((after ?? before) as unknown as Draft),
        before: before === null ? null : shown(descriptor, before),
        after: after === null ? null : shown(descriptor, after),
      }));
      const operation = OPERATIONS[verb];
      const change = { operation, title: descriptor.title, at: now };
      const ofJob = run.jobId === null ? {} : { jobId: run.jobId };
      await recordChanges(records, caller, { ...change, ...ofJob }, changed);
      return result;
    });
  }
}

const OPERATIONS = { create: 'CREATE', update: 'MODIFY', delete: 'DELETE' } as const;

/**
 * The condition of a filter.
 * @param idOf the id of the record with a key, otherwise the key, which then matches nothing
 */
async function conditionOf(
  kind: ResourceKind,
  member: string,
  value: FilterValue,
  idOf: (to: ReferableKind, key: FilterValue) => Promise<string>,
): Promise<Condition> {
  const rule = descriptors[kind].collection.filters[member];
  switch (rule?.type) {
    case 'part':
      return { member: rule.of, contains: String(value) };
    case 'item':
      return { member, hasItem: String(value) };
    case 'itemReference':
      return { member, hasItem: await idOf(rule.to, value) };
    case 'key':
      return { member, equals: await idOf(kind, value) };
    case 'reference':
      return { member, equals: await idOf(rule.to, value) };
  }
  return typeof value === 'object' ? { member, within: value } : { member, equals: value };
}

/** A record before and after a call; null if it was created or deleted. */
type ResourceStates =
  | { readonly before: Resource | null; readonly after: Resource }
  | { readonly before: Resource; readonly after: null };

/** One call in its transaction. */
class Run {
  readonly records: WritableRecords;
  readonly now: string;
  readonly errors: FieldErrors = {};
  /** Changes for the audit trail. */
  readonly changed: ResourceStates[] = [];
  many = false;
  /** The job of the call, if any. */
  jobId: string | null = null;
  readonly #tenantId: string;
  readonly #descriptor: Descriptor;

  constructor(records: WritableRecords, tenantId: string, descriptor: Descriptor, now: string) {
    this.records = records;
    this.#tenantId = tenantId;
    this.#descriptor = descriptor;
    this.now = now;
  }

  /** Writes one record; returns null if there are errors, `before` if nothing changes. */
  async write(
    before: Resource | null,
    body: ReadonlyMap<string, unknown>,
    errors: FieldErrors,
  ): Promise<Resource | null> {
    const { records, now } = this;
    const draft = await readRecord(this.#descriptor, {
      records,
      now,
      body,
      errors,
      tenantId: this.#tenantId,
      before: before as Readonly<Record<string, unknown>> | null,
    });
    if (!isFaultless(errors)) return null;
    const { kind } = this.#descriptor;
    const record = draft as unknown as ResourceTypes[typeof kind];
    if (before === null) await records.addResource(this.#tenantId, kind, record);
    else {
      if (JSON.stringify(before) === JSON.stringify(draft)) return before;
      draft['updatedAt'] = now;
      await records.updateResource(this.#tenantId, kind, record);
    }
    this.changed.push({ before, after: record });
    return record;
  }

  /** Writes many records; `find` returns the stored record of each. */
  async writeAll(
    bodies: readonly unknown[],
    find: (body: ReadonlyMap<string, unknown>, errors: FieldErrors) => Promise<Resource | null>,
  ): Promise<readonly Shown[]> {
    this.many = true;
    const written: Shown[] = [];
    for (const [place, value] of bodies.entries()) {
      if (place % TURN_EVERY === TURN_EVERY - 1) await turn();
      const errors: FieldErrors = {};
      const body = membersOf(value);
      if (body === null) addError(this.errors, String(place), 'must be an object');
      else {
        const before = await find(body, errors);
        const record = isFaultless(errors) ? await this.write(before, body, errors) : null;
        if (record !== null) written.push(shown(this.#descriptor, record));
      }
      for (const [member, sentences] of Object.entries(errors)) {
        this.errors[`${place}.${member}`] = sentences;
      }
    }
    return written;
  }

  /**
   * Deletes the records with the `id`s of the bodies.
   * @returns each deleted record once, and for each body its key and its errors, by member; the
   * empty member stands for the body itself
   */
  async removeAll(bodies: readonly unknown[]): Promise<{
    readonly records: readonly Resource[];
    readonly outcomes: readonly { readonly id: string; readonly errors: FieldErrors }[];
  }> {
    this.many = true;
    const deleted = new Map<string, Resource>();
    const outcomes: { id: string; errors: FieldErrors }[] = [];
    for (const [place, value] of bodies.entries()) {
      if (place % TURN_EVERY === TURN_EVERY - 1) await turn();
      const errors: FieldErrors = {};
      const key = membersOf(value)?.get('id');
      const record = await this.#removable(value, key, deleted, errors);
      if (record !== null && !deleted.has(record.id)) await this.#delete(record, deleted, errors);
      outcomes.push({ id: record?.id ?? (typeof key === 'string' ? key : ''), errors });
    }
    return { records: [...deleted.values()], outcomes };
  }

  /** The record with the id of a body; may have been deleted by this call already. */
  async #removable(
    body: unknown,
    key: unknown,
    deleted: ReadonlyMap<string, Resource>,
    errors: FieldErrors,
  ): Promise<Resource | null> {
    if (membersOf(body) === null) addError(errors, '', 'must be an object');
    else if (key === undefined || key === null || key === '')
      addError(errors, 'id', "can't be blank");
    else if (typeof key !== 'string') addError(errors, 'id', 'must be a string');
    else {
      const { kind } = this.#descriptor;
      const stored = await this.records.resource(this.#tenantId, kind, key);
      const record =
        stored ?? [...deleted.values()].find(({ id, uid }) => id === key || uid === key) ?? null;
      if (record === null) addError(errors, 'id', 'was not found');
      return record;
    }
    return null;
  }

  async #delete(
    record: Resource,
    deleted: Map<string, Resource>,
    errors: FieldErrors,
  ): Promise<void> {
    const { records, now } = this;
    const tenantId = this.#tenantId;
    await this.#descriptor.beforeDelete?.(record, { records, tenantId, now, errors });
    if (!isFaultless(errors)) return;
    await records.deleteResource(tenantId, this.#descriptor.kind, record.id);
    deleted.set(record.id, record);
    this.changed.push({ before: record, after: null });
  }
}

function shown({ fields, showsTimes }: Descriptor, record: Resource): Shown {
  const members = Object.entries(fields).filter(([, { hidden }]) => hidden !== true);
  const names = ['id', 'uid', ...members.map(([member]) => member)];
  if (showsTimes === true) names.push('createdAt', 'updatedAt');
  const values = record as unknown as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    names.map((member) => [wireName(member), wireValue(values[member] ?? null)]),
  );
}
