// What an index's fields are: the one source that configures the embedded engine, generates the OpenSearch
// mapping and tells the language how to read a value. The six static mappings are in document-types.ts; the
// dynamic part (attributes and the like) grows per tenant and is kept by the store.
import type { IndexName } from '../query.ts';

/**
 * text: analysed words, plus the whole value folded and exact. keyword: the whole value folded and exact.
 * date: epoch milliseconds. long, double: numbers. boolean: 0 and 1.
 */
export type FieldType = 'text' | 'keyword' | 'date' | 'long' | 'double' | 'boolean';

/** One leaf field of an index. */
export interface Field {
  /** Absolute dotted path, e.g. `accounts.source.name`. */
  readonly path: string;
  readonly type: FieldType;
  /** The nested path it lies below, or null for a field of the root document. */
  readonly nested: string | null;
  /**
   * Lies in a dynamic map. A dynamic text field has two more numeric columns: `date` where a string is a strict
   * ISO date, `number` where it reads as a decimal number.
   */
  readonly dynamic: boolean;
}

/** Fields whose value is the same in every document of an index: `_type`, `_version`, `pod`, `org` and (but for events) `type`. */
export type Constants = Readonly<Record<string, string>>;

/** The mapping of one index of one tenant. Immutable; a grown mapping is a new object. */
export interface Mapping {
  readonly index: IndexName;
  /** By path; only leaves. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Array members that are correlated tables, e.g. `accounts`, `apps`, `access`. Never one below another. */
  readonly nestedPaths: readonly string[];
  /** Objects below which new leaves may appear, absolute, e.g. `attributes`, `accounts.accountAttributes`. */
  readonly dynamicRoots: readonly string[];
  /** Root fields that weigh more for free words, with their weight. */
  readonly identifying: readonly { readonly path: string; readonly boost: number }[];
  readonly constants: Constants;
}
