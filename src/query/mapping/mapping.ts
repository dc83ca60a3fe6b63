// The mapping of an index: its fields and their types. It configures the embedded engine, generates
// the OpenSearch mapping, and determines how the query language reads values. The six static
// mappings are in document-types.ts; the store keeps the dynamic fields (attributes and similar),
// which grow per tenant.
import type { IndexName } from '../query.ts';

/**
 * text: analysed words, plus the whole value folded and exact. keyword: the whole value folded and
 * exact. date: epoch milliseconds. long, double: numbers. boolean: 0 and 1.
 */
export type FieldType = 'text' | 'keyword' | 'date' | 'long' | 'double' | 'boolean';

/** One leaf field of an index. */
export interface Field {
  /** Absolute dotted path, e.g. `accounts.source.name`. */
  readonly path: string;
  readonly type: FieldType;
  /** The nested path above it, or null for a field of the root document. */
  readonly nested: string | null;
  /**
   * True inside a dynamic map. A dynamic text field has two additional numeric columns: `date` for
   * strings that are a strict ISO date, `number` for strings that are a decimal number.
   */
  readonly dynamic: boolean;
}

/**
 * Fields whose value is the same in every document of an index: `_type`, `_version`, `pod`, `org`
 * and (but for events) `type`.
 */
export type Constants = Readonly<Record<string, string>>;

/** The mapping of one index of one tenant. Immutable; adding fields makes a new object. */
export interface Mapping {
  readonly index: IndexName;
  /** By path; only leaves. */
  readonly fields: ReadonlyMap<string, Field>;
  /**
   * Arrays whose elements are matched as units, e.g. `accounts`, `apps`, `access`. None is below
   * another.
   */
  readonly nestedPaths: readonly string[];
  /**
   * Objects below which new leaves may appear, absolute, e.g. `attributes`,
   * `accounts.accountAttributes`.
   */
  readonly dynamicRoots: readonly string[];
  /** Root fields that are boosted for words without a field. */
  readonly identifying: readonly { readonly path: string; readonly boost: number }[];
  readonly constants: Constants;
}
