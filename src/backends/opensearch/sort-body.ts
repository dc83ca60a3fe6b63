// Sort keys and `searchAfter` in OpenSearch's terms, and the way back to the values of a hit. Every sort ends with
// the index name and the id, so that results that tie stand as the plan says.
// Invariant: `searchAfter` compares the plan's own keys only: a document that ties on them is never behind it.
import type { Mapping } from '../../query/mapping/mapping.ts';
import type { Plan } from '../../query/plan.ts';
import type { SortKey, SortValue } from '../../query/query.ts';
import { columnName, encodedPath, numberTypeOf, STORED } from './columns.ts';
import type { Json } from './query-to-body.ts';

/** One entry of OpenSearch's sort. */
interface Entry {
  readonly body: Json;
  /** What `search_after` holds for a value of the plan's. */
  after(value: SortValue): SortValue;
}

/** The order of a search. */
export interface SortBody {
  readonly sort: readonly Json[];
  readonly searchAfter: readonly SortValue[] | null;
  /** The values of the plan's keys, of the values OpenSearch gave for a hit. */
  values(found: readonly unknown[]): SortValue[];
  /** Places of the score, the index name and the id among what OpenSearch gives; -1: not there. */
  readonly scoreAt: number;
  readonly indexAt: number;
  readonly idAt: number;
}

const BY_SCORE: SortKey = { field: '_score', order: 'desc', type: 'score' };

/** @param byScore whether a plan without keys is in the order of its scores */
export function sortBody(plan: Plan, mappings: readonly Mapping[], byScore: boolean): SortBody {
  const keys = plan.sort.length === 0 && byScore ? [BY_SCORE] : plan.sort;
  const entries: Entry[] = keys.some((key) => isBelowPath(key, mappings)) ? [NOTHING] : [];
  const places = keys.map((key) => {
    const own = key.type === 'doc' ? tieEntries(key.order) : [entryOf(key, mappings)];
    return entries.push(...own) - own.length;
  });
  const indexAt = entries.length;
  const idAt = indexAt + 1;
  entries.push(...tieEntries('asc'));
  return {
    sort: entries.map(({ body }) => body),
    searchAfter: plan.searchAfter === undefined ? null : afterOf(plan.searchAfter, places, entries),
    values: (found) =>
      plan.sort.map((key, at) => sortValueOf(key, found[places[at] ?? -1] ?? null)),
    scoreAt: places[keys.findIndex((key) => key.type === 'score')] ?? -1,
    indexAt,
    idAt,
  };
}

/** Ties are behind `searchAfter` at no place: the missing value is the last one. */
function afterOf(
  values: readonly SortValue[],
  places: readonly number[],
  entries: readonly Entry[],
): SortValue[] {
  const byPlace = new Map(places.map((place, at) => [place, values[at] ?? null]));
  return entries.map(({ after }, place) => after(byPlace.get(place) ?? null));
}

function tieEntries(order: 'asc' | 'desc'): Entry[] {
  return [STORED.index, STORED.id].map((field) => ({
    body: { [field]: { order, missing: '_last', unmapped_type: 'keyword' } },
    after: () => null,
  }));
}

function entryOf(key: SortKey, mappings: readonly Mapping[]): Entry {
  if (key.type === 'score') {
    return { body: { _score: { order: 'desc' } }, after: (value) => value ?? '-Infinity' };
  }
  const fields = mappings.flatMap((mapping) => mapping.fields.get(key.field) ?? []);
  const nested = fields.find((field) => field.nested !== null)?.nested ?? null;
  const common = {
    order: key.order,
    mode: key.order === 'asc' ? 'min' : 'max',
    missing: '_last',
    ...(nested === null ? {} : { nested: { path: encodedPath(nested) } }),
  };
  if (key.type === 'string') {
    const name = columnName(key.field, 'exact');
    return {
      body: { [name]: { ...common, unmapped_type: 'keyword' } },
      after: (value) => (value === null ? null : String(value)),
    };
  }
  const name = columnName(key.field, 'value');
  // Below a nested path OpenSearch 3.3 fails on a long that it compares as one (UnsupportedOperationException).
  if (nested !== null || fields.some((field) => numberTypeOf(field, 'value') === 'double')) {
    return {
      body: { [name]: { ...common, unmapped_type: 'double', numeric_type: 'double' } },
      after: (value) => value ?? (key.order === 'asc' ? 'Infinity' : '-Infinity'),
    };
  }
  return {
    body: { [name]: { ...common, unmapped_type: 'long' } },
    after: (value) => longAfter(value, key.order),
  };
}

const LONG_MAX = '9223372036854775807';
const LONG_MIN = '-9223372036854775808';

/**
 * A first key that is missing everywhere. By the first key OpenSearch 3.3 skips documents that are surely too late, and
 * takes the numbers of nested elements for those of documents when it does, so that some are lost; by this one it skips
 * none. (It skips in searches that count, too: where a query alone tells the count, nothing is counted.)
 */
const NOTHING: Entry = {
  body: { '%nothing': { order: 'asc', missing: '_last', unmapped_type: 'long' } },
  after: () => LONG_MAX,
};

function isBelowPath({ field }: SortKey, mappings: readonly Mapping[]): boolean {
  return mappings.some((mapping) => (mapping.fields.get(field)?.nested ?? null) !== null);
}

/** The integer that has the same ones behind it; as text, for the bounds are beyond a double's digits. */
function longAfter(value: SortValue, order: 'asc' | 'desc'): SortValue {
  if (value === null) return order === 'asc' ? LONG_MAX : LONG_MIN;
  const number = order === 'asc' ? Math.floor(Number(value)) : Math.ceil(Number(value));
  if (number >= 2 ** 63) return LONG_MAX;
  if (number <= -(2 ** 63)) return LONG_MIN;
  return String(BigInt(number));
}

/**
 * The value of a key, of the one that OpenSearch gave for a hit: a missing long is an extreme one, a missing double
 * infinite.
 */
export function sortValueOf(key: SortKey, found: unknown): SortValue {
  if (key.type === 'doc' || found === null) return null;
  if (key.type === 'string') return String(found);
  const number = Number(found);
  return Number.isFinite(number) && Math.abs(number) < 2 ** 63 ? number : null;
}
