// The part of the store's port for profiles, their values and the jobs of large calls. Methods take
// and return sets, so a page or a bulk call costs as many queries as a single record.
// Invariant: every method takes the tenant; records of another tenant are not found.

import type { Attribute } from './resources.ts';

/** A profile without its values; the wire shape is contract/profiles.md section 4.1. */
export interface Profile {
  readonly id: string;
  readonly uid: string;
  readonly name: string;
  readonly profileTypeId: string;
  readonly status: string;
  readonly idProofingStatus: string | null;
  readonly archived: boolean;
  /** ISO 8601 in UTC with milliseconds, as `updatedAt`. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * One item of a value: a text, a day with its text, or a reference to an option, profile or user.
 */
export interface ValueItem {
  /** The text that was written; null if `refId` is set. */
  readonly value: string | null;
  /** Days since 1970-01-01, for a date. */
  readonly day: number | null;
  readonly refId: string | null;
}

/** All items of one attribute of one profile, in the order they were written. */
export interface ProfileValue {
  readonly profileId: string;
  readonly attributeId: string;
  readonly items: readonly ValueItem[];
}

/** Orders of a page of profiles; ties are broken by id. */
export type ProfileOrder =
  | 'id'
  | 'uid'
  | 'name'
  | 'status'
  | 'profileTypeId'
  | 'createdAt'
  | 'updatedAt';

/** Conditions that must all match; an absent one is ignored. */
export interface ProfileFilters {
  readonly archived?: boolean;
  readonly id?: string;
  /** Compared exactly. */
  readonly uid?: string;
  /** Folded. */
  readonly name?: string;
  /** A part of the name, folded. */
  readonly nameContains?: string;
  readonly profileTypeId?: string;
  readonly status?: string;
  readonly idProofingStatus?: string;
  /** ISO 8601 in UTC with milliseconds, as all times; `From` is inclusive. */
  readonly createdFrom?: string;
  readonly createdBefore?: string;
  readonly updatedFrom?: string;
  readonly updatedBefore?: string;
  readonly updatedAfter?: string;
}

/** The page of a list: `limit` records after the first `offset`, or after an id, by id. */
export type ProfileWindow =
  | { readonly order: ProfileOrder; readonly offset: number; readonly limit: number }
  | { readonly afterId: string; readonly limit: number };

/** Kinds of records that values can refer to. */
export type Referent = 'option' | 'profile' | 'user';

/** The text by which values show a record they refer to. */
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

/** A profile that has a value. */
export interface ValueHolder {
  readonly profileId: string;
  readonly key: string;
}

/** The column by which two values of an attribute are compared. */
export type ValueKey = 'folded' | 'day' | 'refId';

/** The values of one attribute that a duplicate would have, as keys by `keyOf`. */
export interface DuplicateKeys {
  readonly attributeId: string;
  readonly by: ValueKey;
  readonly keys: readonly string[];
}

/** A large call whose outcome is stored. */
export interface Job {
  /** 24 hex digits; the first eight are the seconds of its start, so ids sort by time. */
  readonly id: string;
  readonly status: 'queued' | 'complete';
  readonly jobType: string;
  readonly jobData: readonly object[];
  readonly created: string;
}

/** Read access. */
export interface ProfileRecords {
  /** @param between called between the two statements; it may wait for a turn of the event loop */
  profilePage(
    tenantId: string,
    filters: ProfileFilters,
    window: ProfileWindow,
    between?: () => Promise<void>,
  ): Promise<readonly Profile[]>;
  countProfiles(tenantId: string, filters: ProfileFilters): Promise<number>;
  /** Profiles whose id or uid is among `keys`, in no particular order. */
  profilesByKey(tenantId: string, keys: readonly string[]): Promise<readonly Profile[]>;
  /**
   * All values of these profiles, in no particular order.
   * @param setAside is called with the id of a profile with a damaged value, which is left out; without
   * it, ServiceError `unavailable` is thrown for one
   */
  valuesOf(
    tenantId: string,
    profileIds: readonly string[],
    setAside?: (profileId: string) => void,
  ): Promise<readonly ProfileValue[]>;
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
  /** The profiles with one of these values of the attribute. */
  holdersOf(
    tenantId: string,
    attributeId: string,
    by: ValueKey,
    keys: readonly string[],
  ): Promise<readonly ValueHolder[]>;
  /** Ids of at most `limit` profiles of the type with exactly these values, in order. */
  profilesWith(
    tenantId: string,
    profileTypeId: string,
    values: readonly DuplicateKeys[],
    limit: number,
  ): Promise<readonly string[]>;
  job(tenantId: string, id: string): Promise<Job | null>;
}

/** Write access, inside a transaction. */
export interface WritableProfileRecords extends ProfileRecords {
  addProfiles(tenantId: string, profiles: readonly Profile[]): Promise<void>;
  /** Updates everything except id, uid and creation time. */
  updateProfiles(tenantId: string, profiles: readonly Profile[]): Promise<void>;
  /** Adds values of profiles that have no value of these attributes yet. */
  addValues(tenantId: string, values: readonly ProfileValue[]): Promise<void>;
  /** Replaces the value of each attribute; a value without items is deleted. */
  putValues(tenantId: string, values: readonly ProfileValue[]): Promise<void>;
  /**
   * Deletes profiles with their values and risk scores, and removes the values and links that refer
   * to them; users of theirs have no profile then.
   */
  deleteProfiles(tenantId: string, ids: readonly string[]): Promise<void>;
  addJob(tenantId: string, job: Job): Promise<void>;
  /** Deletes jobs whose id sorts before this one. */
  deleteJobsBefore(tenantId: string, id: string): Promise<void>;
}
