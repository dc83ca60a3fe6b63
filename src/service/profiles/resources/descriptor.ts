// Describes a kind of record as data: its names, its members and their rules, its collection.
// resource-cases.ts implements what all kinds share.
import type { ProfileTitle } from '../../../query/mapping/event-names.ts';
import type { Collection } from '../../ports/collection.ts';
import type { ReferableKind, Resource, ResourceKind } from '../../ports/resources.ts';
import type { WritableRecords } from '../../ports/store.ts';
import type { FieldErrors } from './faults.ts';

/** The type of a member's value. */
export type FieldType =
  /** `lengthMax` in characters. */
  | { readonly type: 'text'; readonly lengthMax?: number }
  /** `texts` is an array of them; `own` is read and written only by `complete`. */
  | { readonly type: 'flag' | 'integer' | 'number' | 'texts' | 'own' }
  | { readonly type: 'word'; readonly words: readonly string[] }
  /** Sent as id or uid of such a record, stored as its id; `references` is an array of them. */
  | { readonly type: 'reference' | 'references'; readonly to: ReferableKind };

/** The type of a member, and when callers may write it. */
export type FieldRule = FieldType & {
  /** Must not be blank. */
  readonly required?: true;
  /** Value in a new record if it is not sent; otherwise null, false or an empty array. */
  readonly byDefault?: unknown;
  /** When callers may write it; always if omitted. In other requests it is ignored. */
  readonly write?: 'create' | 'never';
  /** Not shown to callers. */
  readonly hidden?: true;
};

/** A record while it is being written: members by their names. */
export type Draft = Record<string, unknown> & { id: string; uid: string };

/** The context of a write. */
export interface Writing {
  readonly records: WritableRecords;
  readonly tenantId: string;
  /** ISO 8601 with milliseconds. */
  readonly now: string;
  /** The record as it was; null for a new one. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** The sent members, by wire name. */
  readonly body: ReadonlyMap<string, unknown>;
  /** The id of a new record; generated if omitted. */
  readonly id?: string;
  /** True for a copy of an existing record, which may refer to nothing where it must at first. */
  readonly restores?: boolean;
  /** Collects validation errors. */
  readonly errors: FieldErrors;
}

export interface Descriptor {
  readonly kind: ResourceKind;
  /** The member that wraps one record on the wire, e.g. `profile_type`. */
  readonly singular: string;
  /** E.g. `Profile Type`. */
  readonly title: ProfileTitle;
  readonly collection: Collection;
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Combinations of members that must be unique. */
  readonly unique?: readonly (readonly string[])[];
  /** Whether times are shown. */
  readonly showsTimes?: true;
  /** Sets members that depend on others, and adds errors. */
  complete?(draft: Draft, writing: Writing): Promise<void> | void;
  /** Adds errors to prevent a deletion, or cleans up before it. */
  beforeDelete?(record: Resource, writing: Omit<Writing, 'body' | 'before'>): Promise<void>;
  /** The display name of the record. */
  nameOf(record: Readonly<Record<string, unknown>>): string;
}
