// What makes one kind of record differ from another, as data: its names, its members and what they
// may be, how it is listed. resource-cases.ts does with it what is alike for all kinds.
import type { WritableRecords } from '../../ports/store.ts';
import type { FieldErrors } from '../faults.ts';
import type { Collection } from './collection.ts';
import type { ReferableKind, Resource, ResourceKind } from './resources.ts';

/** What the value of a member is. */
export type FieldType =
  /** `lengthMax` in characters. */
  | { readonly type: 'text'; readonly lengthMax?: number }
  /** `texts` is an array of them; `own` is read and written by `complete` alone. */
  | { readonly type: 'flag' | 'integer' | 'number' | 'texts' | 'own' }
  | { readonly type: 'word'; readonly words: readonly string[] }
  /** Sent as id or uid of such a record, kept as its id; `references` is an array of them. */
  | { readonly type: 'reference' | 'references'; readonly to: ReferableKind };

/** What a member may be, and who may write it. */
export type FieldRule = FieldType & {
  /** Never empty. */
  readonly required?: true;
  /** Where it is left out of a new record; else null, false or an empty array. */
  readonly byDefault?: unknown;
  /** When callers may write it; always when left out. What they send otherwise is ignored. */
  readonly write?: 'create' | 'never';
  /** Not among what is shown. */
  readonly hidden?: true;
};

/** A record while it is being written: members by their names. */
export type Draft = Record<string, unknown> & { id: string; uid: string };

/** What a step of writing knows. */
export interface Writing {
  readonly records: WritableRecords;
  readonly tenantId: string;
  /** ISO 8601 with milliseconds. */
  readonly now: string;
  /** The record as it was; null for a new one. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** What was sent, by wire name. */
  readonly body: ReadonlyMap<string, unknown>;
  /** The id of a new record; made up where it is left out. */
  readonly id?: string;
  /** Where complaints go. */
  readonly errors: FieldErrors;
}

export interface Descriptor {
  readonly kind: ResourceKind;
  /** Wraps one record on the wire, e.g. `profile_type`. */
  readonly singular: string;
  /** E.g. `Profile Type`. */
  readonly title: string;
  readonly collection: Collection;
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Members of `fields` that must not all equal those of another record. */
  readonly unique?: readonly (readonly string[])[];
  /** Whether times are shown. */
  readonly showsTimes?: true;
  /** Sets what depends on several members, and complains. */
  complete?(draft: Draft, writing: Writing): Promise<void> | void;
  /** Refuses a deletion by complaining, or tidies up before it. */
  beforeDelete?(record: Resource, writing: Omit<Writing, 'body' | 'before'>): Promise<void>;
  /** What a person calls the record. */
  nameOf(record: Readonly<Record<string, unknown>>): string;
}
