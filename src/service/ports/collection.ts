// Descriptions of collections: their filters and orders, the request for one page, and the page.
// HTTP reads requests by these descriptions (http/routes/profiles/collection.ts), the store runs page queries.
// Invariant: a page is limit and offset over one total order: the ordering value, missing ones
// last, then the id.
import type { ReferableKind } from './resources.ts';

/** The type of a filter's value. */
export type FilterRule =
  /** Compared without regard to case; `exact` is compared unchanged. */
  | { readonly type: 'text' | 'exact' | 'flag' | 'number' }
  /** Id or uid of the record itself. */
  | { readonly type: 'key' }
  /** A time, in ISO 8601: matches each instant that it may stand for, such as those of a day. */
  | { readonly type: 'time' }
  /** One item of an array of texts. */
  | { readonly type: 'item' }
  /** Id or uid of one of the records in an array of references. */
  | { readonly type: 'itemReference'; readonly to: ReferableKind }
  /** An attribute whose value is no single text, number or flag: the request is refused. */
  | { readonly type: 'none' }
  /** One of these words. */
  | { readonly type: 'word'; readonly words: readonly string[] }
  /** Id or uid of a record of that kind. */
  | { readonly type: 'reference'; readonly to: ReferableKind }
  /** A part of the text of that member, without regard to case; Cardea's own. */
  | { readonly type: 'part'; readonly of: string };

/** A collection's conventions (contract/profiles.md section 3). */
export interface Collection {
  /** Last path component, and the member that holds the records in keyed answers. */
  readonly key: string;
  /** Greatest `limit`. */
  readonly limitMax: number;
  /** Filters by member. */
  readonly filters: Readonly<Record<string, FilterRule>>;
  /** Members by other wire names of their filters that clients send. */
  readonly filterAliases?: Readonly<Record<string, string>>;
  /** Wire names of parameters that only this collection takes. */
  readonly parameters?: readonly string[];
  /** True if attributes of the tenant are filters, too. */
  readonly isOpen?: true;
  /** Members to order by. */
  readonly orders: readonly string[];
}

/** `limit` if none is sent. */
export const LIMIT_DEFAULT = 100;

/** Greatest `limit` of these collections, except profiles: one client sends 200. */
export const LIMIT_MAX = 1000;

/** The instants that a time stands for: ISO 8601 in UTC with milliseconds, `before` exclusive. */
export interface TimeSpan {
  readonly from: string;
  readonly before: string;
}

/** The value of a filter: texts as sent, flags and numbers as such, times as spans. */
export type FilterValue = string | boolean | number | TimeSpan;

/** The parameters of a page. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** Member to order by; null: by creation. */
  readonly order: string | null;
  /** Whether to return the total. */
  readonly metadata: boolean;
  /** By member. */
  readonly filters: Readonly<Record<string, FilterValue>>;
}

/**
 * A member that must equal a value, contain a text, have an item or be in a span; text is compared
 * folded if the store has it folded.
 */
export type Condition =
  | {
      readonly member: string;
      /** null: the member is missing. */
      readonly equals: string | number | boolean | null;
    }
  | { readonly member: string; readonly contains: string }
  | { readonly member: string; readonly hasItem: string }
  | { readonly member: string; readonly within: TimeSpan };

/** A query for a page of the store; all conditions must match. */
export interface PageQuery {
  readonly where: readonly Condition[];
  /** Member to order by; null: by creation. */
  readonly order: string | null;
  readonly limit: number;
  readonly offset: number;
  /** Only records with a greater id; for walks in the order of ids. */
  readonly afterId?: string;
  /** Whether to count all that match. */
  readonly total: boolean;
}

/** A page of records. */
export interface Page<R> {
  readonly rows: readonly R[];
  /** Number of all matches; null if not requested. */
  readonly total: number | null;
  /** In pages by id: the id of the last row, null on an empty page. */
  readonly afterId?: string | null;
  /** In pages of profiles: parameters that are no attribute. */
  readonly unknown?: readonly string[];
}
