// What a collection is: what it can be narrowed and ordered by, one page of it as it is asked for,
// and as it is given. The HTTP face reads requests by these descriptions (http/collection.ts), the
// store answers page queries.
// Invariant: a page is limit and offset over one total order: the ordering value, missing ones
// last, then the id.
import type { ReferableKind } from './resources.ts';

/** What the value of a filter is. */
export type FilterRule =
  /** Compared without regard to case; `exactly` as it stands. */
  | { readonly type: 'text' | 'exact' | 'flag' }
  /** One of these words. */
  | { readonly type: 'word'; readonly words: readonly string[] }
  /** Id or uid of a record of that kind. */
  | { readonly type: 'reference'; readonly to: ReferableKind };

/** A collection's conventions (contract/profiles.md section 3). */
export interface Collection {
  /** Last path component, and the member that holds the records where they are keyed. */
  readonly key: string;
  /** Greatest `limit`. */
  readonly limitMax: number;
  /** By member. */
  readonly filters: Readonly<Record<string, FilterRule>>;
  /** Members by other wire names under which clients send their filters. */
  readonly filterAliases?: Readonly<Record<string, string>>;
  /** Wire names of parameters that this collection alone takes. */
  readonly parameters?: readonly string[];
  /** Members. */
  readonly orders: readonly string[];
}

/** `limit` when none is sent. */
export const LIMIT_DEFAULT = 100;

/** Greatest `limit` of the collections of this area, but for profiles: one client asks for 200. */
export const LIMIT_MAX = 1000;

/** A page as a caller asks for it. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** Member to order by; null: as created. */
  readonly order: string | null;
  /** Whether the answer tells the total. */
  readonly metadata: boolean;
  /** By member; flags are booleans. */
  readonly filters: Readonly<Record<string, string | boolean>>;
}

/** A member that must equal a value; text is compared folded where the store keeps it folded. */
export interface Condition {
  readonly member: string;
  /** null: the member is missing. */
  readonly equals: string | number | boolean | null;
}

/** A page as the store is asked for it; all conditions hold at once. */
export interface PageQuery {
  readonly where: readonly Condition[];
  /** Member to order by; null: as created. */
  readonly order: string | null;
  readonly limit: number;
  readonly offset: number;
  /** Whether to count all that match. */
  readonly total: boolean;
}

/** A page as it is given. */
export interface Page<R> {
  readonly rows: readonly R[];
  /** All that match; null where nobody asked. */
  readonly total: number | null;
  /** Where pages follow one another by id: that of the last row, null on an empty page. */
  readonly afterId?: string | null;
}
