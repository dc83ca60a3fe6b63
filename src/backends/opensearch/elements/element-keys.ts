// The keys that elements of nested arrays are ordered by, one after the other: those of the plan, of
// elements and of their documents, and the id of the document. Each has conditions that select the
// elements before, at and after a value, so that OpenSearch need not sort elements of different
// documents.
// Invariant: the conditions agree with the order of `entry`: of several values the one that comes
// first counts, and a missing value is last.
import { compareCodePoints } from '../../../engine/sections/utf8.ts';
import type { Query, SortKey, SortValue } from '../../../query/query.ts';
import { encodedPath, STORED } from '../requests/columns.ts';
import type { OpenTarget } from '../requests/plan-to-body.ts';
import { type Json, MATCH_ALL, MATCH_NONE, queryBody } from '../requests/query-to-body.ts';
import { type NestedSort, sortEntry, sortValueOf } from '../requests/sort-body.ts';

/** One key. */
export interface ElementKey {
  /** What its values and conditions belong to. */
  readonly of: 'elements' | 'documents';
  /** True for the id of documents: no other document has the same value. */
  readonly isId: boolean;
  /** Sorts documents; by a key of elements, by the first one that matches `elements`. */
  entry(elements: Json): Json;
  /** Sorts the elements of one document; null for a key of documents. */
  readonly innerEntry: Json | null;
  /** True if OpenSearch may lose documents that it sorts by this key first: see UNSKIPPABLE. */
  readonly isBelowPath: boolean;
  /** Converts a sort value of OpenSearch. */
  value(sortValue: unknown): SortValue;
  compare(one: SortValue, other: SortValue): number;
  /** Matches what has a value before this one. */
  before(value: SortValue): Json;
  /** Matches what has this value. */
  at(value: SortValue): Json;
  /** Matches what has this value or comes after it. */
  from(value: SortValue): Json;
  /** Matches what comes after this value. */
  after(value: SortValue): Json;
}

/** Values by the level of their key, then the position of the element. */
export type Place = readonly SortValue[];

/** The keys of a plan, and the id. @param path of the elements */
export function elementKeys(
  sort: readonly SortKey[],
  target: OpenTarget,
  path: string,
): ElementKey[] {
  return [...sort.map((key) => elementKey(key, target, path)), ID];
}

/** The key of a level. */
export function keyAt(keys: readonly ElementKey[], level: number): ElementKey {
  const key = keys[level];
  if (key === undefined) throw new TypeError(`There is no key ${level}`);
  return key;
}

/** Compares places from a level on, at which all values before are equal. */
export function comparePlaces(
  keys: readonly ElementKey[],
  one: Place,
  other: Place,
  level = 0,
): number {
  for (let at = level; at < keys.length; at += 1) {
    const order = keys[at]?.compare(one[at] ?? null, other[at] ?? null) ?? 0;
    if (order !== 0) return order;
  }
  return Number(one[keys.length]) - Number(other[keys.length]);
}

/** Bounds of a range in the order of values. */
type Bound = 'lt' | 'lte' | 'gt' | 'gte';

/** What a key compares values by. */
interface Values {
  exists: Json;
  equals(value: string | number): Json;
  within(bound: Bound, value: string | number): Json;
}

function elementKey(key: SortKey, { mapping }: OpenTarget, path: string): ElementKey {
  const field = mapping.fields.get(key.field);
  const nested = field?.nested ?? null;
  const ofElements = nested === path;
  const scope = { mapping, path: nested };
  const below = (query: Query): Json => {
    const body = queryBody(query, scope);
    if (nested === null || ofElements) return body;
    return { nested: { path: encodedPath(nested), query: body, score_mode: 'none' } };
  };
  const column = { field: key.field, column: 'value' } as const;
  const term = { field: key.field, form: key.form ?? 'exact' } as const;
  const values: Values = {
    exists: below({ kind: 'exists', field: key.field }),
    equals: (value) =>
      typeof value === 'string'
        ? below({ kind: 'terms', ...term, values: [value] })
        : below({ kind: 'numbers', ...column, values: [value] }),
    within: (bound, value) =>
      typeof value === 'string'
        ? below({ kind: 'termRange', ...term, [bound]: value })
        : below({ kind: 'numberRange', ...column, [bound]: value }),
  };
  const entryIn = (nestedSort: NestedSort) => sortEntry(key, [mapping], nestedSort);
  return {
    of: ofElements ? 'elements' : 'documents',
    isId: false,
    entry: (elements) => entryIn(ofElements ? { filter: elements } : {}).body,
    innerEntry: ofElements ? entryIn(null).body : null,
    isBelowPath: nested !== null,
    value: (sortValue) => sortValueOf(key, sortValue, entryIn(null).isDouble === true),
    compare: comparatorOf(key.order),
    ...(field === undefined
      ? constantConditions(mapping.constants[key.field] ?? null, key.order)
      : conditions(values, key.order)),
  };
}

const ID: ElementKey = {
  of: 'documents',
  isId: true,
  entry: () => ({ [STORED.id]: 'asc' }),
  innerEntry: null,
  isBelowPath: false,
  value: String,
  compare: comparatorOf('asc'),
  ...conditions(
    {
      exists: MATCH_ALL,
      equals: (value) => ({ term: { [STORED.id]: { value } } }),
      within: (bound, value) => ({ range: { [STORED.id]: { [bound]: value } } }),
    },
    'asc',
  ),
};

type Conditions = Pick<ElementKey, 'before' | 'at' | 'from' | 'after'>;

/** The first of several values counts: what has one before another value comes before it. */
function conditions({ exists, equals, within }: Values, order: 'asc' | 'desc'): Conditions {
  const [less, upTo] = order === 'asc' ? (['lt', 'lte'] as const) : (['gt', 'gte'] as const);
  const before = (value: SortValue) => (value === null ? exists : within(less, value));
  return {
    before,
    at: (value) =>
      value === null
        ? { bool: { must_not: [exists] } }
        : { bool: { filter: [equals(value)], must_not: [before(value)] } },
    from: (value) => ({ bool: { must_not: [before(value)] } }),
    after: (value) => (value === null ? MATCH_NONE : { bool: { must_not: [within(upTo, value)] } }),
  };
}

/** Those of a field with the same value everywhere, or none. */
function constantConditions(constant: SortValue, order: 'asc' | 'desc'): Conditions {
  const compare = comparatorOf(order);
  const allIf = (matches: boolean) => (matches ? MATCH_ALL : MATCH_NONE);
  return {
    before: (value) => allIf(compare(constant, value) < 0),
    at: (value) => allIf(compare(constant, value) === 0),
    from: (value) => allIf(compare(constant, value) >= 0),
    after: (value) => allIf(compare(constant, value) > 0),
  };
}

function comparatorOf(order: 'asc' | 'desc'): ElementKey['compare'] {
  const sign = order === 'asc' ? 1 : -1;
  return (one, other) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
    return sign * compareCodePoints(String(one), String(other));
  };
}
