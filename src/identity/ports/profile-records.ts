// The part of the store's port that keeps profiles, their values and the jobs of large calls. Everything comes in sets,
// so that a page or a bulk call costs as many queries as a single record.
// Invariant: every method takes the tenant; what belongs to another one is answered as what is not there.

import type { Attribute } from '../profiles/resources/resources.ts';

/** A profile without its values; the wire shape is contract/profiles.md section 4.1. */
export interface Profile {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  readonly profileTypeId: string;
  readonly status: string;
  readonly idProofingStatus: string | null;
  readonly archived: boolean;
  /** ISO 8601 in UTC with milliseconds, as the next. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** One item of a value: a text, a day with its text, or the option, profile or user it points to. */
export interface ValueItem {
  /** What was written; null where `refId` is set. */
  readonly value: string | null;
  /** Days since 1970-01-01, of a date. */
  readonly day: number | null;
  readonly refId: string | null;
}

/** All items of one attribute of one profile, in the order they were written. */
export interface ProfileValue {
  readonly profileId: string;
  readonly attributeId: string;
  readonly items: readonly ValueItem[];
}

/** What a page of profiles can be ordered by; ties are broken by id. */
export type ProfileOrder =
  | 'id'
  | 'uid'
  | 'name'
  | 'status'
  | 'profileTypeId'
  | 'createdAt'
  | 'updatedAt';

/** Conditions that are all met; one left out does not count. */
export interface ProfileFilters {
  readonly archived?: boolean;
  /** Folded. */
  readonly name?: string;
  readonly profileTypeId?: string;
  readonly status?: string;
  /** ISO 8601 in UTC with milliseconds; the instant itself is not met. */
  readonly updatedAfter?: string;
}

/** Which records of a list: so many behind the first `offset`, or behind the one with an id, by id. */
export type ProfileWindow =
  | { readonly order: ProfileOrder; readonly offset: number; readonly limit: number }
  | { readonly afterId: string; readonly limit: number };

/** What values can point to. */
export type Referent = 'option' | 'profile' | 'user';

/** How a record that values point to is shown in them. */
export interface Shown {
  readonly id: string;
  readonly text: string;
}

/** An option of an attribute, found by its label. */
export interface OptionMatch {
  readonly attributeId: string;
  readonly folded: string;
  readonly id: string;
  readonly label: string;
}

/** A value that some profile has: which, of which attribute, and whose. */
export interface ValueHolder {
  readonly profileId: string;
  readonly key: string;
}

/** The column that tells two values of an attribute apart. */
export type ValueKey = 'folded' | 'day' | 'refId';

/** Values of one attribute that a duplicate would have, each as `keyOf` of the item tells it. */
export interface SoughtValue {
  readonly attributeId: string;
  readonly by: ValueKey;
  readonly keys: readonly string[];
}

/** A large call whose outcome is kept to be asked for. */
export interface Job {
  /** 24 hex digits; the first eight are the seconds of its start, so ids sort by time. */
  readonly id: string;
  readonly status: 'queued' | 'complete';
  readonly jobType: string;
  readonly jobData: readonly object[];
  readonly created: string;
}

/** Reading. */
export interface ProfileRecords {
  /** @param between called between its two statements: it may wait there for a turn of the event loop */
  profilePage(
    tenantId: string,
    filters: ProfileFilters,
    window: ProfileWindow,
    between?: () => Promise<void>,
  ): Promise<readonly Profile[]>;
  countProfiles(tenantId: string, filters: ProfileFilters): Promise<number>;
  /** Those whose id or uid is among `keys`, in no order. */
  profilesByKey(tenantId: string, keys: readonly string[]): Promise<readonly Profile[]>;
  /** All values of these profiles, in no order. */
  valuesOf(tenantId: string, profileIds: readonly string[]): Promise<readonly ProfileValue[]>;
  /** Attributes whose id, or uid, is among `keys`. */
  attributesBy(
    tenantId: string,
    column: 'id' | 'uid',
    keys: readonly string[],
  ): Promise<readonly Attribute[]>;
  /** The name of an option or profile, `Name (email)` of a user; unknown ids are left out. */
  shownAs(tenantId: string, referent: Referent, ids: readonly string[]): Promise<readonly Shown[]>;
  /** Users whose id or uid is among `keys`. */
  usersByKey(
    tenantId: string,
    keys: readonly string[],
  ): Promise<readonly (Shown & { readonly uid: string })[]>;
  /** Options of these attributes with one of these folded labels. */
  optionsByLabel(
    tenantId: string,
    attributeIds: readonly string[],
    labels: readonly string[],
  ): Promise<readonly OptionMatch[]>;
  /** Who has one of these values of the attribute. */
  holdersOf(
    tenantId: string,
    attributeId: string,
    by: ValueKey,
    keys: readonly string[],
  ): Promise<readonly ValueHolder[]>;
  /** Ids of profiles of the type that have all these values, at most `limit`, by id. */
  profilesWith(
    tenantId: string,
    profileTypeId: string,
    values: readonly SoughtValue[],
    limit: number,
  ): Promise<readonly string[]>;
  job(tenantId: string, id: string): Promise<Job | null>;
}

/** Writing, inside a transaction. */
export interface WritableProfileRecords extends ProfileRecords {
  addProfiles(tenantId: string, profiles: readonly Profile[]): Promise<void>;
  /** Everything but id, uid and creation. */
  updateProfiles(tenantId: string, profiles: readonly Profile[]): Promise<void>;
  /** Values of profiles that have none of these attributes yet. */
  addValues(tenantId: string, values: readonly ProfileValue[]): Promise<void>;
  /** Puts each value in the place of the one its profile had; no items take it away. */
  putValues(tenantId: string, values: readonly ProfileValue[]): Promise<void>;
  /** With their values, the values and links that point to them and their risk scores. */
  deleteProfiles(tenantId: string, ids: readonly string[]): Promise<void>;
  /** Takes items that point to these options, profiles or users out of all values. */
  dropReferences(tenantId: string, ids: readonly string[]): Promise<void>;
  addJob(tenantId: string, job: Job): Promise<void>;
  /** Forgets jobs whose id sorts before this one. */
  deleteJobsBefore(tenantId: string, id: string): Promise<void>;
}
