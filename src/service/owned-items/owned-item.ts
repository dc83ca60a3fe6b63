// What a user creates, owns, changes and may share: saved searches, their schedules, dashboards.
// Invariant: an item that a caller may not see is `not_found`, as if it did not exist.
import type { Caller } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import type { ChangedObject } from '../../query/mapping/event-names.ts';
import type { Records, WritableRecords } from '../ports/store.ts';

export interface OwnedItem {
  /** UUID. */
  readonly id: string;
  /** Identity of the user who created it. */
  readonly ownerId: string;
  /** null or empty: it has none. */
  readonly name: string | null;
  /** ISO 8601, as `modified`. */
  readonly created: string;
  readonly modified: string;
}

/** A reference to the user who owns an item. */
export interface OwnerReference {
  readonly type: 'IDENTITY';
  readonly id: string;
}

/** The members of an item that its kind defines. */
export type Chosen<T extends OwnedItem> = Omit<T, 'id' | 'ownerId' | 'created' | 'modified'>;

/** How items of one kind are stored, and who may see and change them. */
export interface ItemKind<T extends OwnedItem> {
  /** Lower case, such as `saved search`. */
  readonly noun: string;
  /** In the acts of its changes. */
  readonly object: ChangedObject;
  readonly plural: string;
  /** The most items of a user; null: any number. */
  readonly maxPerOwner: number | null;
  read(records: Records, tenantId: string, id: string): Promise<T | null>;
  /** How many items a user has. */
  count(records: Records, tenantId: string, ownerId: string): Promise<number>;
  put(records: WritableRecords, tenantId: string, item: T): Promise<void>;
  remove(records: WritableRecords, tenantId: string, id: string): Promise<boolean>;
  isVisible(caller: Caller, item: T): boolean;
  mayChange(caller: Caller, item: T): boolean;
}

/** @throws ServiceError `not_found` also for one that the caller may not see */
export async function visibleItem<T extends OwnedItem>(
  kind: ItemKind<T>,
  records: Records,
  caller: Caller,
  id: string,
): Promise<T> {
  const item = await kind.read(records, caller.tenantId, id);
  if (item !== null && kind.isVisible(caller, item)) return item;
  throw new ServiceError('not_found', `There is no ${kind.noun} ${id.slice(0, 60)}.`);
}

/** @throws ServiceError as visibleItem, `forbidden` for one that the caller may only see */
export async function changeableItem<T extends OwnedItem>(
  kind: ItemKind<T>,
  records: Records,
  caller: Caller,
  id: string,
): Promise<T> {
  const item = await visibleItem(kind, records, caller, id);
  if (kind.mayChange(caller, item)) return item;
  throw new ServiceError(
    'forbidden',
    `Only the owner of a ${kind.noun} and administrators may do this.`,
    { causes: [`This ${kind.noun} belongs to another user; create a copy of your own.`] },
  );
}

/** The identity of a caller; the access table admits only users. */
export function ownerIdOf({ identityId }: Caller): string {
  if (identityId === null) throw new Error('an API client owns nothing');
  return identityId;
}
