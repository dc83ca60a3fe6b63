// The query of an advanced search for the store: conditions that must all match, an order and a
// page. It is plain JSON; names, labels and today's date are resolved before.
// Invariant: a search survives `JSON.parse(JSON.stringify(search))`.
import type { ProfileFilters, ProfileOrder } from './profile-records.ts';

/**
 * One condition on a profile. A `negated` one matches exactly the profiles that the other does not.
 */
export type Condition =
  /** The record passes the filters. */
  | { readonly kind: 'record'; readonly filters: RecordFilters }
  /** The status is one of these. */
  | { readonly kind: 'status'; readonly statuses: readonly string[] }
  | { readonly kind: 'profileType'; readonly id: string; readonly negated: boolean }
  /** An item of the attribute passes the test; a profile without the attribute has no items. */
  | {
      readonly kind: 'value';
      readonly attributeId: string;
      readonly test: ValueTest;
      readonly negated: boolean;
    }
  /** The days from the anchor's date to the date of the attribute are in the span. */
  | {
      readonly kind: 'daysBetween';
      readonly attributeId: string;
      readonly anchorId: string;
      readonly span: Span;
    }
  /** The overall risk level is one of these. */
  | { readonly kind: 'risk'; readonly levelIds: readonly string[] }
  /** Matches no profile. */
  | { readonly kind: 'never' };

/** Filters on the record itself, not on values; ProfileSearch has the one on `archived`. */
export type RecordFilters = Omit<ProfileFilters, 'archived'>;

/** A test of one item of a value; texts are folded, and compared by code points. */
export type ValueTest =
  /** It has a value: a text that is not empty, a date, a reference. */
  | { readonly kind: 'present'; readonly of: 'text' | 'day' | 'reference' }
  | { readonly kind: 'equals'; readonly text: string }
  | { readonly kind: 'startsWith'; readonly text: string }
  | { readonly kind: 'endsWith'; readonly text: string }
  | { readonly kind: 'contains'; readonly text: string }
  /** Compared as numbers if `number` is set and the item is a number, otherwise as texts. */
  | {
      readonly kind: 'greater' | 'less';
      readonly text: string;
      readonly number: number | null;
    }
  | { readonly kind: 'refersTo'; readonly id: string }
  /** In days since 1970-01-01. */
  | { readonly kind: 'day'; readonly span: Span };

/** Whole numbers from `min` to `max`, both inclusive; null is unbounded. */
export interface Span {
  readonly min: number | null;
  readonly max: number | null;
}

/** The profiles that match all conditions. */
export interface ProfileSearch {
  readonly conditions: readonly Condition[];
  /** Only archived profiles; false: only others. */
  readonly archived: boolean;
  readonly order: ProfileOrder;
  readonly offset: number;
  readonly limit: number;
  /** Whether to count all matches, which reads every one. */
  readonly total: boolean;
}

/** A page of ids in the requested order, and the total if requested. */
export interface ProfileMatches {
  readonly ids: readonly string[];
  readonly total: number | null;
}

/**
 * Called between two statements of a search: it may wait, and an error it throws ends the search.
 */
export type BetweenStatements = () => Promise<void>;
