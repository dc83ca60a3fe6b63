// The naive evaluator of aggregations over parsed documents: rows are documents or elements, and a
// bucket is a list of rows. Uses no index and no code of the engine.
import { DateTime } from 'luxon';
import type {
  Aggregation,
  Aggregations,
  BucketOrder,
  CompositeSource,
  DateIntervals,
  Flattened,
  ValueSource,
} from '../../src/query/aggregation.ts';
import { parseRegexp } from '../../src/query/language/regexp.ts';
import type { IndexName } from '../../src/query/query.ts';
import { byCodePoints, meets, numbers, type Place, strings, valuesAt } from './naive.ts';
import { regexpMatches } from './regexp-match.ts';

export interface Row extends Place {
  readonly index: IndexName;
  /** Index in the nested array. */
  readonly offset: number;
}

type Key = string | number;
type Result = Record<string, unknown>;
type Of<Kind extends Aggregation['kind']> = Extract<Aggregation, { readonly kind: Kind }>;
type Statistics = Extract<Aggregation, { readonly source: ValueSource; readonly kind: unknown }>;

/** One aggregation in the form of each index. */
type Forms = ReadonlyMap<IndexName, Aggregation>;

export function naiveAggregate(
  forms: ReadonlyMap<IndexName, Aggregations>,
  rows: readonly Row[],
  level: readonly Row[],
): Result {
  const first = [...forms.values()][0] ?? {};
  return Object.fromEntries(
    Object.keys(first).map((name) => {
      const own = new Map([...forms].map(([index, aggregations]) => [index, aggregations[name]!]));
      return [name, one(own, rows, level)];
    }),
  );
}

/** @param level all live rows of this level, independent of the query */
function one(forms: Forms, rows: readonly Row[], level: readonly Row[]): Result {
  const list = [...forms.values()];
  const form = list.find((one) => 'source' in one && one.source.kind !== 'none') ?? list[0]!;
  const inside = (some: readonly Row[], below = level): Result =>
    naiveAggregate(
      new Map([...forms].map(([i, f]) => [i, 'aggregations' in f ? f.aggregations : {}])),
      some,
      below,
    );
  const own = <Kind extends Aggregation['kind']>(row: Row, _: Of<Kind>): Of<Kind> =>
    forms.get(row.index) as Of<Kind>;
  const bucket = (some: readonly Row[], below = level): Result => ({
    doc_count: some.length,
    ...inside(some, below),
  });
  switch (form.kind) {
    case 'filter':
      return bucket(rows.filter((row) => meets(own(row, form).query, row)));
    case 'missing':
      return bucket(rows.filter((row) => keysOf(own(row, form).source, row).length === 0));
    case 'global':
      return bucket(allRows, allRows);
    case 'nested': {
      const below = (row: Row) => elements(row, own(row, form).path);
      return bucket(rows.flatMap(below), level.flatMap(below));
    }
    case 'reverseNested': {
      const roots = new Map<unknown, Row>();
      for (const row of rows)
        roots.set(row.document, { ...row, path: null, element: row.document });
      return bucket([...roots.values()], allRows);
    }
    case 'filters': {
      const names = form.filters.map(({ name }) => name);
      const has = (row: Row, at: number) => meets(own(row, form).filters[at]!.query, row);
      const buckets = names.map((_, at) => rows.filter((row) => has(row, at)));
      if (form.other !== null) {
        names.push(form.other);
        buckets.push(rows.filter((row) => !form.filters.some((_, at) => has(row, at))));
      }
      const results = buckets.map((some) => bucket(some));
      if (!form.keyed) return { buckets: results };
      return { buckets: Object.fromEntries(names.map((name, at) => [name, results[at]])) };
    }
    case 'range': {
      const results = form.ranges.map(({ key, from, to, fromText, toText }) => {
        const matches = rows.filter((row) =>
          numbersIn(own(row, form), row).some(
            (n) => n >= (from ?? -Infinity) && n < (to ?? Infinity),
          ),
        );
        const texts = { from_as_string: fromText, to_as_string: toText };
        return [key, plain({ from, to, ...texts, ...bucket(matches) })] as const;
      });
      if (form.keyed) return { buckets: Object.fromEntries(results) };
      return { buckets: results.map(([key, members]) => ({ key, ...members })) };
    }
    case 'terms': {
      const groups = group(rows, (row) => {
        const { source, missing, include, exclude } = own(row, form);
        const keys = keysOf(source, row);
        const all = keys.length === 0 && missing !== undefined ? [missing] : keys;
        return all.filter((key) => allowed(key, include, true) && !allowed(key, exclude, false));
      });
      if (form.minDocCount === 0) addZeroes(groups, level, (row) => own(row, form));
      const large = [...groups].filter(([, some]) => some.length >= form.minDocCount);
      const sorted = order(large, form.order, bucket);
      const top = sorted.slice(0, form.size);
      const rest = sorted.slice(form.size).reduce((sum, [, some]) => sum + some.length, 0);
      return {
        doc_count_error_upper_bound: 0,
        sum_other_doc_count: rest,
        buckets: top.map(([key, some]) => ({ key, ...spelt(form.source, key), ...bucket(some) })),
      };
    }
    case 'histogram':
    case 'dateHistogram': {
      const groups = group(rows, (row) =>
        numbersIn(own(row, form), row).map((value) => roundOf(form)(value)),
      );
      if (form.minDocCount === 0 && groups.size > 0) fill(groups, form);
      const large = [...groups].filter(([, some]) => some.length >= form.minDocCount);
      const results = order(large, form.order, bucket).map(([key, some]) => {
        const text =
          form.kind === 'histogram' ? undefined : iso(Number(key), form.intervals.timeZone);
        return plain({ key_as_string: text, key, ...bucket(some) });
      });
      if (!form.keyed) return { buckets: results };
      const name = (result: Result) =>
        String(result['key_as_string'] ?? withPoint(Number(result['key'])));
      return { buckets: Object.fromEntries(results.map((one) => [name(one), one])) };
    }
    case 'composite': {
      const sources = form.sources.map((source, at) => {
        const all = list.map((each) => (each as typeof form).sources[at]!);
        return all.find((each) => each.source.kind !== 'none') ?? source;
      });
      const groups = group(rows, (row) => tuplesOf(own(row, form).sources, row));
      const compare = (a: Key, b: Key) =>
        compareTuples(JSON.parse(String(a)), JSON.parse(String(b)), sources);
      const page = [...groups]
        .filter(([key]) => form.after === undefined || compare(key, JSON.stringify(form.after)) > 0)
        .sort(([a], [b]) => compare(a, b))
        .slice(0, form.size)
        .map(([key, some]) => ({
          key: tupleKey(JSON.parse(String(key)), sources),
          ...bucket(some),
        }));
      return plain({ after_key: page.at(-1)?.key, buckets: page });
    }
    case 'topHits': {
      const sorted = rows
        .map((row) => ({ row, sort: own(row, form).sort.map((key) => sortValue(key, row)) }))
        .sort((a, b) => compareHits(form, a, b));
      const hits = sorted.slice(form.from, form.from + form.size).map(({ row, sort }) =>
        plain({
          _index: row.index,
          _id: row.document.id,
          _nested: row.path === null ? undefined : { field: row.path, offset: row.offset },
          _score: form.sort.length > 0 ? null : 1,
          _source: row.path === null ? { ...row.document, ...row.mapping.constants } : row.element,
          sort: form.sort.length > 0 ? sort : undefined,
        }),
      );
      const maxScore = form.sort.length > 0 || rows.length === 0 ? null : 1;
      return { hits: { total: { value: rows.length, relation: 'eq' }, max_score: maxScore, hits } };
    }
    case 'valueCount':
      return { value: rows.reduce((sum, row) => sum + countOf(own(row, form), row), 0) };
    case 'cardinality':
      return { value: new Set(rows.flatMap((row) => withMissing(own(row, form), row))).size };
    case 'percentiles': {
      const values = rows.flatMap((row) => numbersIn(own(row, form), row)).sort((a, b) => a - b);
      const told = form.percents.flatMap((percent) => {
        const value = quantile(values, percent / 100);
        const text =
          value === null ? {} : spelt(form.source, value, `${withPoint(percent)}_as_string`);
        return [[withPoint(percent), value], ...Object.entries(text)];
      });
      return { values: Object.fromEntries(told) };
    }
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'stats':
    case 'extendedStats':
      return statistics(
        form,
        rows.flatMap((row) => numbersIn(own(row, form), row)),
      );
  }
}

/** The rows for `global` and `reverse_nested`; set by the caller. */
let allRows: readonly Row[] = [];
export function setAllRows(rows: readonly Row[]): void {
  allRows = rows;
}

/** Dates in milliseconds, other values unchanged. */
function keysOf(source: ValueSource, row: Row): Key[] {
  switch (source.kind) {
    case 'strings':
      return [...new Set(rowsOf(source, row).flatMap((one) => strings(one, source.field)))];
    case 'numbers':
      return [...new Set(allNumbers(source, row))];
    case 'id':
      return [row.document.id];
    case 'constant':
      return [source.value];
    case 'none':
      return [];
  }
}

/** The rows with the values of a row: itself, or all elements below a path. */
function rowsOf({ nestedPath }: Flattened, row: Row): readonly Row[] {
  return nestedPath === undefined ? [row] : elements(row, nestedPath);
}

function allNumbers(
  source: Extract<ValueSource, { readonly kind: 'numbers' }>,
  row: Row,
): number[] {
  return rowsOf(source, row).flatMap((one) => numbers(one, source.field, source.column));
}

interface Sourced {
  readonly source: ValueSource;
  readonly missing?: Key;
}

function withMissing({ source, missing }: Sourced, row: Row): Key[] {
  const keys = keysOf(source, row);
  return keys.length === 0 && missing !== undefined ? [missing] : keys;
}

/** Duplicates count, unlike in keys. */
function numbersIn({ source, missing }: Sourced, row: Row): number[] {
  const numbers = source.kind === 'numbers' ? allNumbers(source, row) : [];
  return numbers.length === 0 && typeof missing === 'number' ? [missing] : numbers;
}

function countOf(form: Sourced, row: Row): number {
  return form.source.kind === 'numbers'
    ? numbersIn(form, row).length
    : withMissing(form, row).length;
}

function elements(row: Row, path: string | null): Row[] {
  if (path === null || row.path !== null) return [];
  return valuesAt(row.document, [path])
    .filter((one) => typeof one === 'object')
    .map((element, offset) => ({ ...row, path, element, offset }));
}

function group(rows: readonly Row[], keys: (row: Row) => readonly Key[]): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    for (const key of new Set(keys(row))) groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}

function addZeroes(
  groups: Map<Key, Row[]>,
  level: readonly Row[],
  own: (row: Row) => Of<'terms'>,
): void {
  for (const row of level) {
    const { source, include, exclude } = own(row);
    for (const key of keysOf(source, row)) {
      const fits = allowed(key, include, true) && !allowed(key, exclude, false);
      if (fits && !groups.has(key)) groups.set(key, []);
    }
  }
}

function allowed(key: Key, filter: Of<'terms'>['include'], absent: boolean): boolean {
  if (filter === undefined) return absent;
  if (filter.kind === 'values') return filter.values.includes(key);
  return typeof key === 'string' && regexpMatches(parseRegexp(filter.pattern), key);
}

function order(
  groups: [Key, Row[]][],
  by: readonly BucketOrder[],
  bucket: (some: readonly Row[]) => Result,
): [Key, Row[]][] {
  const values = new Map(
    groups.map(([key, some]) => [key, by.some((one) => one.by === 'metric') ? bucket(some) : {}]),
  );
  return groups.sort((a, b) => {
    for (const criterion of by) {
      const sign = criterion.order === 'asc' ? 1 : -1;
      let compared = 0;
      if (criterion.by === 'count') compared = sign * (a[1].length - b[1].length);
      else if (criterion.by === 'key') compared = sign * compareKeys(a[0], b[0]);
      else if (criterion.by === 'metric')
        compared = compareMetric(criterion, values.get(a[0])!, values.get(b[0])!, sign);
      if (compared !== 0) return compared;
    }
    return compareKeys(a[0], b[0]);
  });
}

function compareMetric(
  { path, property }: Extract<BucketOrder, { readonly by: 'metric' }>,
  a: Result,
  b: Result,
  sign: number,
): number {
  const read = (bucket: Result): number | null => {
    const at = path.reduce((node: unknown, name) => (node as Result)[name], bucket) as Result;
    return (property === '_count' ? at['doc_count'] : at[property]) as number | null;
  };
  const left = read(a);
  const right = read(b);
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return sign * (left - right);
}

function compareKeys(a: Key, b: Key): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return typeof a === 'number' ? a - Number(b) : byCodePoints(a, String(b));
}

type Histogram = Of<'histogram'> | Of<'dateHistogram'>;

function roundOf(
  form: Histogram | Extract<CompositeSource, { readonly kind: 'histogram' | 'dateHistogram' }>,
) {
  if (form.kind === 'dateHistogram') return (value: number) => roundDate(value, form.intervals);
  const offset = 'offset' in form ? form.offset : 0;
  return (value: number) => Math.floor((value - offset) / form.interval) * form.interval + offset;
}

const UNITS = {
  y: 'year',
  q: 'quarter',
  M: 'month',
  w: 'week',
  d: 'day',
  h: 'hour',
  m: 'minute',
  s: 'second',
} as const;

function roundDate(value: number, { every, timeZone, offsetMs }: DateIntervals): number {
  const zone = luxonZone(timeZone);
  const at = DateTime.fromMillis(value - offsetMs, { zone });
  if (typeof every !== 'number') return at.startOf(UNITS[every]).toMillis() + offsetMs;
  // Used only with time zones without transitions.
  const shift = at.offset * 60_000;
  return Math.floor((value - offsetMs + shift) / every) * every - shift + offsetMs;
}

function fill(groups: Map<Key, Row[]>, form: Histogram): void {
  const keys = [...groups.keys()].map(Number);
  const last = Math.max(...keys);
  for (let key = Math.min(...keys); key < last; ) {
    if (!groups.has(key)) groups.set(key, []);
    key = form.kind === 'histogram' ? key + form.interval : nextDate(key, form.intervals);
  }
}

function nextDate(key: number, { every, timeZone, offsetMs }: DateIntervals): number {
  if (typeof every === 'number') return key + every;
  const zone = luxonZone(timeZone);
  const at = DateTime.fromMillis(key - offsetMs, { zone });
  return at.plus({ [UNITS[every]]: 1 }).toMillis() + offsetMs;
}

function tuplesOf(sources: readonly CompositeSource[], row: Row): string[] {
  let tuples: (Key | null)[][] = [[]];
  for (const source of sources) {
    const found = keysOf(source.source, row);
    const keys: (Key | null)[] =
      source.kind === 'terms' ? found : found.map((key) => roundOf(source)(Number(key)));
    if (keys.length === 0 && source.missingBucket) keys.push(null);
    tuples = tuples.flatMap((tuple) => keys.map((key) => [...tuple, key]));
  }
  return tuples.map((tuple) => JSON.stringify(tuple));
}

function compareTuples(
  a: (Key | null)[],
  b: (Key | null)[],
  sources: readonly CompositeSource[],
): number {
  for (const [at, source] of sources.entries()) {
    const left = a[at] ?? null;
    const right = b[at] ?? null;
    const compared =
      left === right ? 0 : left === null ? -1 : right === null ? 1 : compareKeys(left, right);
    if (compared !== 0) return source.order === 'asc' ? compared : -compared;
  }
  return 0;
}

function tupleKey(tuple: readonly (Key | null)[], sources: readonly CompositeSource[]): Result {
  return Object.fromEntries(
    sources.map(({ name, kind, source }, at) => {
      const boolean = kind === 'terms' && source.kind === 'numbers' && source.type === 'boolean';
      const key = tuple[at] ?? null;
      return [name, boolean && typeof key === 'number' ? key === 1 : key];
    }),
  );
}

function sortValue(key: Of<'topHits'>['sort'][number], row: Row): Key | null {
  const { field, type, order } = key;
  const keys: Key[] = rowsOf(key, row).flatMap((one): Key[] =>
    type === 'string' ? strings(one, field) : numbers(one, field, 'value'),
  );
  return keys.sort(compareKeys).at(order === 'asc' ? 0 : -1) ?? null;
}

interface Sorted {
  readonly row: Row;
  readonly sort: readonly (Key | null)[];
}

function compareHits({ sort }: Of<'topHits'>, a: Sorted, b: Sorted): number {
  for (const [at, { order }] of sort.entries()) {
    const left = a.sort[at] ?? null;
    const right = b.sort[at] ?? null;
    if (left === right) continue;
    if (left === null || right === null) return left === null ? 1 : -1;
    return compareKeys(left, right) * (order === 'asc' ? 1 : -1);
  }
  return (
    byCodePoints(a.row.index, b.row.index) ||
    byCodePoints(a.row.document.id, b.row.document.id) ||
    a.row.offset - b.row.offset
  );
}

/** Up to about eighty values, a t-digest stores each of them. */
function quantile(values: readonly number[], q: number): number | null {
  const index = q * values.length;
  if (values.length === 0) return null;
  if (values.length === 1 || index < 1) return values[0]!;
  if (index > values.length - 1) return values.at(-1)!;
  return values[Math.floor(index)]!;
}

function statistics(form: Statistics, values: number[]): Result {
  const count = values.length;
  const sum = values.reduce((a, b) => a + b, 0);
  const any = (value: number) => (count === 0 ? null : value);
  const all: Record<string, number | null> = {
    min: any(Math.min(...values)),
    max: any(Math.max(...values)),
    avg: any(sum / count),
    sum,
  };
  if (form.kind !== 'stats' && form.kind !== 'extendedStats') {
    const value = all[form.kind] ?? null;
    return { value, ...(value === null ? {} : spelt(form.source, value, 'value_as_string')) };
  }
  const texts = Object.entries(all).map(([name, value]) =>
    count === 0 ? {} : spelt(form.source, value!, `${name}_as_string`),
  );
  const result = Object.assign({ count, ...all }, ...texts) as Result;
  if (form.kind === 'stats') return result;
  const mean = sum / count;
  const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0);
  return {
    ...result,
    sum_of_squares: any(values.reduce((total, value) => total + value * value, 0)),
    variance_population: any(squares / count),
    variance_sampling: count < 2 ? null : squares / (count - 1),
  };
}

function spelt(source: ValueSource, value: Key, name = 'key_as_string'): Result {
  if (source.kind !== 'numbers' || typeof value !== 'number') return {};
  if (source.type === 'boolean') return { [name]: String(value !== 0) };
  return source.type === 'date' ? { [name]: iso(value, 'Z') } : {};
}

/**
 * Luxon writes years outside 0 to 9999 with six digits, and `Z` only for UTC. Values outside the
 * range of JavaScript dates, such as sums of dates, are numbers.
 */
function iso(value: number, zone: string): string {
  const at = DateTime.fromMillis(Math.trunc(value), { zone: luxonZone(zone) });
  if (!at.isValid) return String(Math.trunc(value));
  const text = (at.toISO({ includeOffset: true }) ?? '').replace(/^([+-])0{1,2}(?=\d{4})/, '$1');
  return at.offset === 0 ? text.replace('+00:00', 'Z') : text;
}

/** Converts an offset to Luxon's spelling. */
function luxonZone(name: string): string {
  if (name === 'Z') return 'utc';
  return /^[+-]/.test(name) ? `UTC${name}` : name;
}

function withPoint(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function plain(result: Result): Result {
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined));
}
