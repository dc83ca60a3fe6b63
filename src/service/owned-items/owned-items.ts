// Creates, replaces and deletes the items of one kind, each change with its event in one transaction.
// What may be in an item is checked by the use cases of its kind.
import { randomUUID } from 'node:crypto';
import type { Caller } from '../../auth/caller.ts';
import type { Clock } from '../../auth/clock.ts';
import { ServiceError } from '../../errors.ts';
import { actorOf, type RecordStates } from '../audit/audit-event.ts';
import type { Records, Store, WritableRecords } from '../ports/store.ts';
import { recordItemChange } from './item-event.ts';
import {
  type Chosen,
  changeableItem,
  type ItemKind,
  type OwnedItem,
  ownerIdOf,
  visibleItem,
} from './owned-item.ts';

/** Checks a change in its transaction. @param before null for a creation */
export type ChangeCheck<T> = (records: Records, before: T | null) => Promise<void> | void;

export class OwnedItems<T extends OwnedItem> {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #kind: ItemKind<T>;

  constructor(store: Store, clock: Clock, kind: ItemKind<T>) {
    this.#store = store;
    this.#clock = clock;
    this.#kind = kind;
  }

  /** @throws ServiceError `limit_violation` */
  async create(
    caller: Caller,
    definition: Chosen<T>,
    check: ChangeCheck<T> = () => {},
  ): Promise<T> {
    const now = this.now();
    const ownerId = ownerIdOf(caller);
    const after = { ...definition, id: randomUUID(), ownerId, created: now, modified: now } as T;
    return this.#store.write(async (records) => {
      await this.#refuseMore(records, caller.tenantId, ownerId);
      await check(records, null);
      return this.put(records, caller, null, after);
    });
  }

  /** @throws ServiceError `not_found` also for one that the caller may not see */
  visible(caller: Caller, id: string): Promise<T> {
    return visibleItem(this.#kind, this.#store.read, caller, id);
  }

  /** @throws ServiceError `not_found`, `forbidden` */
  changeable(caller: Caller, id: string): Promise<T> {
    return changeableItem(this.#kind, this.#store.read, caller, id);
  }

  /** Replaces what a caller chooses; the owner stays. @throws ServiceError `not_found`, `forbidden` */
  async replace(
    caller: Caller,
    id: string,
    definition: Chosen<T>,
    check: ChangeCheck<T> = () => {},
  ): Promise<T> {
    const modified = this.now();
    return this.#store.write(async (records) => {
      const before = await changeableItem(this.#kind, records, caller, id);
      await check(records, before);
      return this.put(records, caller, before, { ...before, ...definition, modified });
    });
  }

  /** @throws ServiceError `not_found`, `forbidden` */
  async remove(caller: Caller, id: string, check: ChangeCheck<T> = () => {}): Promise<void> {
    const now = this.now();
    await this.#store.write(async (records) => {
      const before = await changeableItem(this.#kind, records, caller, id);
      await check(records, before);
      await this.#kind.remove(records, caller.tenantId, id);
      await this.#record(records, caller, { before, after: null }, now);
    });
  }

  /** Puts an item and records the change, in the caller's transaction. */
  async put(records: WritableRecords, caller: Caller, before: T | null, after: T): Promise<T> {
    await this.#kind.put(records, caller.tenantId, after);
    await this.#record(records, caller, { before, after }, after.modified);
    return after;
  }

  /** ISO 8601. */
  now(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  async #refuseMore(records: Records, tenantId: string, ownerId: string): Promise<void> {
    const { plural, maxPerOwner, count } = this.#kind;
    if (maxPerOwner === null || (await count(records, tenantId, ownerId)) < maxPerOwner) return;
    throw new ServiceError('limit_violation', `You have too many ${plural}.`, {
      causes: [`at most ${maxPerOwner}; delete those that are not used`],
    });
  }

  #record(
    records: WritableRecords,
    caller: Caller,
    states: RecordStates<T>,
    now: string,
  ): Promise<void> {
    const origin = { actor: actorOf(caller), now };
    return recordItemChange(records, caller.tenantId, this.#kind, states, origin);
  }
}
