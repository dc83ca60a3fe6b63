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

/** The types of dynamic fields. */
export type Kind = Extract<FieldType, 'text' | 'long' | 'double' | 'boolean'>;

/** The kind of a JSON value of a dynamic field. */
export function kindOf(value: string | number | boolean): Kind {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return Number.isInteger(value) ? 'long' : 'double';
  return 'text';
}

/** The narrowest kind that has the values of both; in whatever order they come, the result is one. */
export function widerKind(one: FieldType, other: FieldType): FieldType {
  if (one === other) return one;
  const areNumbers = [one, other].every((kind) => kind === 'long' || kind === 'double');
  return areNumbers ? 'double' : 'text';
}

/** One leaf field of an index. */
export interface Field {
  /** Absolute dotted path, e.g. `accounts.source.name`. */
  readonly path: string;
  readonly type: FieldType;
  /** The nested path above it, or null for a field of the root document. */
  readonly nested: string | null;
  /**
   * True inside a dynamic map. The type of a dynamic field widens with its values (`widerKind`), so
   * backends index every value of one as text, with two additional numeric columns: `date` for texts
   * that are a strict ISO date, `number` for those that are a decimal number. Numbers and booleans (1
   * and 0) have the column `value` as well, whatever the type is.
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
