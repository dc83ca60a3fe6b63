// Sort keys and `searchAfter` for OpenSearch, and the conversion of a hit's sort values. Every sort
// ends with the index name and the id, or the keys of the id (id-keys.ts), which are faster, so that
// ties are ordered as the plan says.
// Invariant: `searchAfter` compares the plan's own keys only: a document that ties on them is never
// after it.
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { Plan } from '../../../query/plan.ts';
import type { SortKey, SortValue } from '../../../query/query.ts';
import { columnName, encodedPath, numberTypeOf, STORED } from './columns.ts';
import { ID_KEYS } from './id-keys.ts';
import type { Json } from './query-to-body.ts';

/** One entry of OpenSearch's sort. */
export interface Entry {
  readonly body: Json;
  /** Whether its values are doubles. */
  readonly isDouble?: boolean;
  /** Converts a value of the plan for `search_after`. */
  after(value: SortValue): SortValue;
}

/** The order of a search. */
export interface SortBody {
  readonly sort: readonly Json[];
  readonly searchAfter: readonly SortValue[] | null;
  /** The values of the plan's keys, from OpenSearch's sort values of a hit. */
  values(sortValues: readonly unknown[]): SortValue[];
  /** `search_after` for what follows a hit with these sort values, among its ties too. */
  next(sortValues: readonly unknown[]): SortValue[];
  /**
   * Positions of score, index name and id among OpenSearch's sort values; -1: absent. There is no
   * index name if all documents are of one index, and no id if its keys are sorted by.
   */
  readonly scoreAt: number;
  readonly indexAt: number;
  readonly idAt: number;
}

const BY_SCORE: SortKey = { field: '_score', order: 'desc', type: 'score' };

/** What ends every sort: the ids, or the keys of the ids, which different ids may have in common. */
export type TieBreak = 'ids' | 'keys';

/** @param byScore whether a plan without keys is ordered by score */
export function sortBody(
  plan: Plan,
  mappings: readonly Mapping[],
  byScore: boolean,
  tieBreak: TieBreak = 'ids',
): SortBody {
  const keys = plan.sort.length === 0 && byScore ? [BY_SCORE] : plan.sort;
  const entries: Entry[] = keys.some((key) => isBelowPath(key, mappings)) ? [UNSKIPPABLE] : [];
  const places = keys.map((key) => {
    const own =
      key.type === 'doc' ? tieEntries(key.order, mappings.length) : [sortEntry(key, mappings)];
    return entries.push(...own) - own.length;
  });
  const indexAt = mappings.length === 1 ? -1 : entries.length;
  entries.push(...tieEntries('asc', mappings.length, tieBreak));
  const idAt = tieBreak === 'ids' ? entries.length - 1 : -1;
  const after = plan.searchAfter === undefined ? null : afterOf(plan.searchAfter, places, entries);
  return {
    sort: entries.map(({ body }, at) =>
      at === 0 && after?.[0] === null ? lastMissing(body) : body,
    ),
    searchAfter: after,
    values: (sortValues) =>
      plan.sort.map((key, at) => {
        const place = places[at] ?? -1;
        return sortValueOf(key, sortValues[place] ?? null, entries[place]?.isDouble === true);
      }),
    next: (sortValues) => sortValues.map((value, at) => nextAfter(value, entries[at])),
    scoreAt: places[keys.findIndex((key) => key.type === 'score')] ?? -1,
    indexAt,
    idAt,
  };
}

/**
 * The values after the plan's keys are null, which sorts last, so no tie is after `searchAfter`.
 */
function afterOf(
  values: readonly SortValue[],
  places: readonly number[],
  entries: readonly Entry[],
): SortValue[] {
  const byPlace = new Map(places.map((place, at) => [place, values[at] ?? null]));
  return entries.map(({ after }, place) => after(byPlace.get(place) ?? null));
}

/** A missing integer is returned as the greatest or least long, which JavaScript would round up. */
function nextAfter(sortValue: unknown, entry: Entry | undefined): SortValue {
  if (typeof sortValue !== 'number' || entry?.isDouble === true) return sortValue as SortValue;
  return Math.abs(sortValue) < 2 ** 63 ? sortValue : Math.sign(sortValue) * BEYOND_LONG;
}

function tieEntries(order: 'asc' | 'desc', indexes: number, tieBreak: TieBreak = 'ids'): Entry[] {
  return [
    ...(indexes === 1 ? [] : [textEntry(STORED.index, order)]),
    ...(tieBreak === 'ids' ? [textEntry(STORED.id, order)] : ID_KEYS.map(keyEntry)),
  ];
}

/**
 * A first entry that null in `search_after` is compared with: without `missing` OpenSearch 3.3 compares
 * it with the values of each shard, and fails.
 */
function lastMissing(body: Json): Json {
  return Object.fromEntries(
    Object.entries(body).map(([field, order]) => [
      field,
      typeof order === 'string' ? { order, missing: '_last' } : order,
    ]),
  );
}

/**
 * Every index has these fields, so that the order is all there is to say: for each entry with
 * options, OpenSearch 3.3 throws an exception while it reads the request.
 */
function textEntry(field: string, order: 'asc' | 'desc'): Entry {
  return { body: { [field]: order }, after: () => null };
}

function keyEntry(field: string): Entry {
  return { body: { [field]: 'asc' }, after: () => BEYOND_LONG };
}

/**
 * How a key below a nested path sorts: documents by the values of their elements, or only of those that
 * match a filter; null: elements by their own values.
 */
export type NestedSort = { readonly filter?: Json } | null;

/** The entry of a key of the plan, other than index order. */
export function sortEntry(
  key: SortKey,
  mappings: readonly Mapping[],
  nestedSort: NestedSort = {},
): Entry {
  if (key.type === 'score') {
    return { body: { _score: { order: 'desc' } }, after: (value) => value ?? '-Infinity' };
  }
  const fields = mappings.flatMap((mapping) => mapping.fields.get(key.field) ?? []);
  const nested = fields.find((field) => field.nested !== null)?.nested ?? null;
  const common = {
    order: key.order,
    mode: key.order === 'asc' ? 'min' : 'max',
    missing: '_last',
    ...(nested === null || nestedSort === null
      ? {}
      : { nested: { path: encodedPath(nested), ...nestedSort } }),
  };
  if (key.type === 'string') {
    // Fields with the same value everywhere have that column alone.
    const isConstant = mappings.some(({ constants }) => constants[key.field] !== undefined);
    const name = columnName(key.field, isConstant ? 'exact' : (key.form ?? 'exact'));
    return {
      body: { [name]: { ...common, unmapped_type: 'keyword' } },
      after: (value) => (value === null ? null : String(value)),
    };
  }
  const name = columnName(key.field, 'value');
  const types = fields.map((field) => numberTypeOf(field, 'value'));
  // OpenSearch 3.3 fails to compare a long below a nested path (UnsupportedOperationException).
  if (nested !== null || types.includes('double')) {
    const missing = key.order === 'asc' ? Number.MAX_VALUE : -Number.MAX_VALUE;
    return {
      body: { [name]: { ...common, missing, unmapped_type: 'double', numeric_type: 'double' } },
      isDouble: true,
      after: (value) => value ?? missing,
    };
  }
  // Booleans would be sorted as integers of 32 bits.
  const numeric = types.includes('boolean') ? { numeric_type: 'long' } : {};
  return {
    body: { [name]: { ...common, unmapped_type: 'long', ...numeric } },
    after: (value) => longAfter(value, key.order),
  };
}

/** Beyond all longs: OpenSearch takes the greatest, or the least, for it. */
const BEYOND_LONG = 1e21;

/**
 * A first key that is missing in all documents. OpenSearch 3.3 skips documents by the first key
 * once they cannot make the page; it then takes the numbers of nested elements for those of
 * documents and loses some. By this key it skips none. (It skips in searches that count, too, if
 * the query alone gives the count.)
 */
export const UNSKIPPABLE: Entry = {
  body: { '%nothing': { order: 'asc', missing: '_last', unmapped_type: 'long' } },
  after: () => BEYOND_LONG,
};

function isBelowPath({ field }: SortKey, mappings: readonly Mapping[]): boolean {
  return mappings.some((mapping) => (mapping.fields.get(field)?.nested ?? null) !== null);
}

/**
 * The nearest integer with the same values after it; a number, as OpenSearch reads texts by the
 * field's format.
 */
function longAfter(value: SortValue, order: 'asc' | 'desc'): SortValue {
  if (value === null) return order === 'asc' ? BEYOND_LONG : -BEYOND_LONG;
  const number = order === 'asc' ? Math.floor(Number(value)) : Math.ceil(Number(value));
  return Math.abs(number) < 2 ** 63 ? number : Math.sign(number) * BEYOND_LONG;
}

/**
 * Converts OpenSearch's sort value of a hit for a key: a missing number is an extreme value of its
 * type, or infinite.
 * @param isDouble whether it is sorted by doubles, not by longs
 */
export function sortValueOf(key: SortKey, sortValue: unknown, isDouble: boolean): SortValue {
  if (key.type === 'doc' || sortValue === null) return null;
  if (key.type === 'string') return String(sortValue);
  const number = Number(sortValue);
  return Math.abs(number) < (isDouble ? Number.MAX_VALUE : 2 ** 63) ? number : null;
}
