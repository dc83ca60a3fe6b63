// What an advanced search asks of the store: conditions that all hold, an order and a page. It is plain JSON; the
// store sees nothing else of the request, so whatever a rule says of names, labels or today is settled before.
// Invariant: a search survives `JSON.parse(JSON.stringify(search))`.
import type { ProfileOrder } from './profile-records.ts';

/** One condition on a profile. A `negated` one holds for exactly the profiles that the other one does not hold for. */
export type Condition =
  /** Its status is one of these. */
  | { readonly kind: 'status'; readonly statuses: readonly string[] }
  | { readonly kind: 'profileType'; readonly id: string; readonly negated: boolean }
  /** Some item of the attribute passes the test; a profile without the attribute has none. */
  | {
      readonly kind: 'value';
      readonly attributeId: string;
      readonly test: ValueTest;
      readonly negated: boolean;
    }
  /** The days from the date of the anchor attribute to that of the attribute lie in the span. */
  | {
      readonly kind: 'daysBetween';
      readonly attributeId: string;
      readonly anchorId: string;
      readonly span: Span;
    }
  /** Its overall risk level is one of these. */
  | { readonly kind: 'risk'; readonly levelIds: readonly string[] }
  /** Holds for no profile. */
  | { readonly kind: 'never' };

/** What one item of a value is asked; texts are folded, and compared by code points. */
export type ValueTest =
  /** It is there: a text that is not empty, a date, a reference. */
  | { readonly kind: 'present'; readonly of: 'text' | 'day' | 'reference' }
  | { readonly kind: 'equals'; readonly text: string }
  | { readonly kind: 'startsWith'; readonly text: string }
  | { readonly kind: 'endsWith'; readonly text: string }
  | { readonly kind: 'contains'; readonly text: string }
  /** As numbers where `number` is set and the item is one, else as texts. */
  | {
      readonly kind: 'greater' | 'less';
      readonly text: string;
      readonly number: number | null;
    }
  | { readonly kind: 'refersTo'; readonly id: string }
  /** In days since 1970-01-01. */
  | { readonly kind: 'day'; readonly span: Span };

/** Whole numbers from `min` to `max`, both included; null is open. */
export interface Span {
  readonly min: number | null;
  readonly max: number | null;
}

/** All conditions hold, and the profile is not archived. */
export interface ProfileSearch {
  readonly conditions: readonly Condition[];
  readonly order: ProfileOrder;
  readonly offset: number;
  readonly limit: number;
  /** Counting looks at every match, so it is asked for. */
  readonly total: boolean;
}

/** A page of ids in the order asked for, and how many match in all, where that was asked for. */
export interface ProfileMatches {
  readonly ids: readonly string[];
  readonly total: number | null;
}

/** What a search calls between two statements: it may wait there, and what it throws ends the search. */
export type BetweenStatements = () => Promise<void>;
