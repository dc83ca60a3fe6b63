// The naive evaluator of queries: matching, sort keys and totals, as simply as possible over parsed
// documents. Uses no index and no code of the engine. naive-scores.ts computes scores.
import { fold } from '../../src/query/analysis/fold.ts';
import { decimalNumber, strictIsoDate } from '../../src/query/analysis/values.ts';
import { words as cut } from '../../src/query/analysis/words.ts';
import { parseRegexp, type RegexpNode } from '../../src/query/language/regexp.ts';
import type { Field, Mapping } from '../../src/query/mapping/mapping.ts';
import { CATCH_ALL, type Query, type SortKey, type SortValue } from '../../src/query/query.ts';

/** A bounded cache of analyzed texts, since thousands of plans use the same ones. */
function remembered<Value>(make: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>();
  return (text) => {
    let value = values.get(text);
    if (value === undefined) {
      value = make(text);
      if (values.size >= REMEMBERED) values.clear();
      values.set(text, value);
    }
    return value;
  };
}
const REMEMBERED = 20_000;

const words = remembered(cut);

export interface PlainDocument {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** The scope of a clause: a document, or one element below a nested path. */
export interface Place {
  readonly mapping: Mapping;
  readonly document: PlainDocument;
  readonly path: string | null;
  readonly element: unknown;
}

type QueryOf<Kind extends Query['kind']> = Extract<Query, { readonly kind: Kind }>;

export function naiveMatches(query: Query, mapping: Mapping, document: PlainDocument): boolean {
  return meets(query, { mapping, document, path: null, element: document });
}

/** The elements below a path of a document, in array order. */
export function naiveElements(document: PlainDocument, path: string): unknown[] {
  return valuesAt(document, path.split('.')).filter((element) => typeof element === 'object');
}

/** True if one element below `path` matches an inner query. */
export function naiveElementMatches(
  query: Query,
  path: string,
  mapping: Mapping,
  document: PlainDocument,
  element: unknown,
): boolean {
  return meets(query, { mapping, document, path, element });
}

/** True if a scope matches a query. */
export function meets(query: Query, place: Place): boolean {
  const every = (queries: readonly Query[]) => queries.every((one) => meets(one, place));
  switch (query.kind) {
    case 'matchAll':
      return true;
    case 'matchNone':
      return false;
    case 'term':
      return terms(place, query).includes(query.value);
    case 'terms':
      return terms(place, query).some((term) => query.values.includes(term));
    case 'prefix':
      return terms(place, query).some((term) => term.startsWith(query.value));
    case 'wildcard':
      return terms(place, query).some((term) => wildcard(query.pattern).test(term));
    case 'regexp':
      return terms(place, query).some((term) => regexpMeets(query.pattern, term));
    case 'fuzzy':
      return terms(place, query).some((term) => isNear(term, query));
    case 'termRange':
      return terms(place, query).some((term) => inRange(term, query, byCodePoints));
    case 'numberRange':
      return numbers(place, query.field, query.column).some((n) =>
        inRange(n, query, (a, b) => a - b),
      );
    case 'numbers':
      return numbers(place, query.field, query.column).some((n) => query.values.includes(n));
    case 'exists':
      return strings(place, query.field).length + numbers(place, query.field, 'value').length > 0;
    case 'ids':
      return query.values.includes(place.document.id);
    case 'phrase':
      return texts(place, query.field).some((text) => hasPhrase(words(text), query));
    case 'disMax':
      return query.queries.some((one) => meets(one, place));
    case 'constantScore':
      return meets(query.query, place);
    case 'nested':
      return valuesOf(place.document, query.path).some((element) =>
        meets(query.query, { ...place, path: query.path, element }),
      );
    case 'bool': {
      const required = query.must.length + query.filter.length > 0;
      const least = required || query.should.length === 0 ? 0 : 1;
      const should = query.should.filter((one) => meets(one, place)).length;
      return (
        every([...query.must, ...query.filter]) &&
        !query.mustNot.some((one) => meets(one, place)) &&
        should >= Math.max(least, query.minimumShouldMatch ?? least)
      );
    }
  }
}

/** The leaf fields of a clause on `name`. */
function fieldsOf(place: Place, name: string): Field[] {
  if (name === CATCH_ALL) return place.path === null ? [...place.mapping.fields.values()] : [];
  const field = place.mapping.fields.get(name);
  return field !== undefined && field.nested === place.path ? [field] : [];
}

/** Scalars at a path below an object, with arrays flattened. */
export function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesAt(one, path));
  const [name, ...rest] = path;
  if (name === undefined) return value === null || value === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return valuesAt((value as Record<string, unknown>)[name], rest);
}

function leaves(place: Place, field: Field, wholeDocument = false): unknown[] {
  if (place.path === null || wholeDocument) return valuesOf(place.document, field.path);
  return valuesOf(place.element, field.path.slice(place.path.length + 1));
}

/** Same as valuesAt, cached by object. */
function valuesOf(object: unknown, path: string): unknown[] {
  if (typeof object !== 'object' || object === null) return [];
  let byPath = VALUES.get(object);
  if (byPath === undefined) {
    byPath = new Map();
    VALUES.set(object, byPath);
  }
  let values = byPath.get(path);
  if (values === undefined) {
    values = valuesAt(object, path.split('.'));
    byPath.set(path, values);
  }
  return values;
}

const VALUES = new WeakMap<object, Map<string, unknown[]>>();

export function strings(place: Place, name: string, types = ['text', 'keyword']): string[] {
  return fieldsOf(place, name)
    .filter(({ type, dynamic }) => types.includes(type) || (dynamic && name !== CATCH_ALL))
    .flatMap((field) =>
      leaves(place, field)
        .filter((one) => typeof one !== 'object')
        .map(String),
    );
}

const texts = (place: Place, name: string): string[] => strings(place, name, ['text']);

export function termsOf(text: string, form: 'word' | 'folded' | 'exact'): string[] {
  if (form === 'word') return words(text).map((word) => word.term);
  return [form === 'folded' ? fold(text) : text];
}

function terms(
  place: Place,
  {
    field,
    form,
  }:
    | QueryOf<'term'>
    | QueryOf<'terms'>
    | QueryOf<'prefix'>
    | QueryOf<'wildcard'>
    | QueryOf<'regexp'>
    | QueryOf<'fuzzy'>
    | QueryOf<'termRange'>,
): string[] {
  if (form === 'word') return texts(place, field).flatMap((text) => termsOf(text, form));
  if (field === CATCH_ALL && form === 'exact') return [];
  const types = field === CATCH_ALL ? ['keyword'] : ['text', 'keyword'];
  return strings(place, field, types).flatMap((text) => termsOf(text, form));
}

export function numbers(place: Place, name: string, column: 'value' | 'date' | 'number'): number[] {
  if (name === CATCH_ALL && column !== 'value') return [];
  return fieldsOf(place, name)
    .filter((field) => name !== CATCH_ALL || field.type === 'long')
    .flatMap((field) =>
      leaves(place, field).flatMap((value) => numberOf(value, field, column) ?? []),
    )
    .filter((number) => name !== CATCH_ALL || Number.isInteger(number));
}

function numberOf(value: unknown, field: Field, column: 'value' | 'date' | 'number') {
  const plain = typeof value === 'string' ? decimalNumber(value) : value;
  const number = typeof plain === 'number' ? plain : undefined;
  if (column !== 'value') {
    if (!field.dynamic || typeof value === 'object') return undefined;
    return column === 'date' ? strictIsoDate(String(value)) : decimalNumber(String(value));
  }
  if (field.dynamic) {
    return typeof value === 'number' || typeof value === 'boolean' ? Number(value) + 0 : undefined;
  }
  if (field.type === 'date') return typeof value === 'string' ? strictIsoDate(value) : number;
  if (field.type === 'boolean') return { true: 1, false: 0 }[String(value)];
  // Normalizes -0 to 0.
  if (field.type === 'long') return number === undefined ? undefined : Math.trunc(number) + 0;
  return field.type === 'double' ? number : undefined;
}

/** Compares texts by code points. */
export function byCodePoints(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function inRange<Value>(
  value: Value,
  { gt, gte, lt, lte }: { gt?: Value; gte?: Value; lt?: Value; lte?: Value },
  compare: (a: Value, b: Value) => number,
): boolean {
  if (gt !== undefined && compare(value, gt) <= 0) return false;
  if (gte !== undefined && compare(value, gte) < 0) return false;
  if (lt !== undefined && compare(value, lt) >= 0) return false;
  return lte === undefined || compare(value, lte) <= 0;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');

const wildcard = remembered((pattern) => {
  const parts = pattern.match(/\\[\s\S]|[\s\S]/gu) ?? [];
  const source = parts.map((part) => {
    if (part === '*') return '[^]*';
    return part === '?'
      ? '[^]'
      : escaped(part.length > 1 && part[0] === '\\' ? part.slice(1) : part);
  });
  return new RegExp(`^${source.join('')}$`, 'u');
});

const regexpMet = remembered((key) => {
  const [pattern = '', term = ''] = key.split(NUL);
  const chars = [...term];
  return endsOf(parseRegexp(pattern), chars, new Set([0])).has(chars.length);
});
/** A character that no text contains, since the service refuses it. */
const NUL = '\0';

function regexpMeets(pattern: string, term: string): boolean {
  return regexpMet(`${pattern}${NUL}${term}`);
}

/** The possible ends of matches that begin at one of `starts`. */
function endsOf(node: RegexpNode, chars: readonly string[], starts: Set<number>): Set<number> {
  const next = (length: number, fits: (from: readonly string[]) => boolean): Set<number> => {
    const fitting = [...starts].filter((start) => {
      return start + length <= chars.length && fits(chars.slice(start, start + length));
    });
    return new Set(fitting.map((start) => start + length));
  };
  switch (node.kind) {
    case 'union':
      return new Set(node.nodes.flatMap((one) => [...endsOf(one, chars, starts)]));
    case 'concat':
      return node.nodes.reduce((from, one) => endsOf(one, chars, from), starts);
    case 'intersection': {
      const each = (start: number) => node.nodes.map((one) => endsOf(one, chars, new Set([start])));
      const common = ([first, ...rest]: Set<number>[]) =>
        [...(first ?? [])].filter((end) => rest.every((ends) => ends.has(end)));
      return new Set([...starts].flatMap((start) => common(each(start))));
    }
    case 'repeat': {
      let ends = starts;
      for (let times = 0; times < node.min; times++) ends = endsOf(node.node, chars, ends);
      const all = new Set(ends);
      for (let times = node.min; times < (node.max ?? Infinity) && ends.size > 0; times++) {
        const more = [...endsOf(node.node, chars, ends)].filter((end) => !all.has(end));
        ends = new Set(more);
        for (const end of more) all.add(end);
      }
      return all;
    }
    case 'class':
      return next(1, ([char]) => {
        const code = char?.codePointAt(0) ?? -1;
        const listed = node.ranges.some(([from, to]) => code >= from && code <= to);
        return listed !== node.negated;
      });
    case 'string':
      return next([...node.value].length, (from) => from.join('') === node.value);
    case 'any':
      return next(1, () => true);
    case 'anyString': {
      const first = Math.min(...starts);
      return new Set(
        chars
          .map((_, at) => at)
          .concat(chars.length)
          .filter((end) => end >= first),
      );
    }
    case 'nothing':
      return new Set();
    case 'interval':
      return new Set(
        [...starts].flatMap((start) => {
          const [digits = ''] = /^\d*/.exec(chars.slice(start).join('')) ?? [];
          return [...digits].flatMap((_, at) => {
            const number = Number(digits.slice(0, at + 1));
            const fits = number >= node.min && number <= node.max;
            return fits && (node.digits || at + 1) === at + 1 ? [start + at + 1] : [];
          });
        }),
      );
  }
}

/** Optimal string alignment distance; the first `prefixLength` code points must be equal. */
function isNear(term: string, { value, maxEdits, prefixLength }: QueryOf<'fuzzy'>): boolean {
  const a = [...term];
  const b = [...value];
  if (Math.abs(a.length - b.length) > maxEdits) return false;
  const same = b.slice(0, prefixLength);
  return same.every((char, at) => a[at] === char) && distance(a, b) <= maxEdits;
}

export function distance(a: readonly string[], b: readonly string[]): number {
  const d = Array.from({ length: a.length + 1 }, (_, i) => [i, ...new Array(b.length).fill(0)]);
  for (let j = 0; j <= b.length; j++) d[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = d[i - 1]![j - 1]! + Number(a[i - 1] !== b[j - 1]);
      d[i]![j] = Math.min(d[i - 1]![j]! + 1, d[i]![j - 1]! + 1, replaced);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) d[i]![j] = Math.min(d[i]![j]!, d[i - 2]![j - 2]! + 1);
    }
  }
  return d[a.length]![b.length]!;
}

/** True if each term has its own position, with a total displacement of at most `slop`. */
function hasPhrase(found: readonly { readonly term: string }[], query: QueryOf<'phrase'>): boolean {
  const { terms: wanted, slop, prefixExpansions } = query;
  const choose = (at: number, chosen: readonly number[]): boolean => {
    const offsets = chosen.map((position, place) => position - place);
    if (chosen.length > 0 && Math.max(...offsets) - Math.min(...offsets) > slop) return false;
    if (at === wanted.length) return wanted.length > 0;
    const prefix = prefixExpansions !== undefined && at === wanted.length - 1;
    return found.some(({ term }, position) => {
      const fits = prefix ? term.startsWith(wanted[at]!) : term === wanted[at];
      return fits && !chosen.includes(position) && choose(at + 1, [...chosen, position]);
    });
  };
  return choose(0, []);
}

/** The sort value of a document: its smallest or greatest value; null if it has none. */
/**
 * The first value of a key, in the order of the key: of a document or, if `place` is an element and
 * the field is one of its own, of that element.
 */
export function naiveSortValue(key: SortKey, place: Place): SortValue {
  const { mapping } = place;
  const constant = mapping.constants[key.field];
  if (constant !== undefined) return constant;
  const field = mapping.fields.get(key.field);
  if (field === undefined || key.type === 'doc') return null;
  const values = leaves(place, field, place.path === null || field.nested !== place.path);
  const end = key.order === 'asc' ? -1 : 1;
  if (key.type === 'string') {
    const sorted = values
      .filter((one) => typeof one !== 'object')
      .map((one) => (key.form === 'folded' ? fold(String(one)) : String(one)))
      .sort(byCodePoints);
    return sorted.at(end < 0 ? 0 : -1) ?? null;
  }
  const sorted = values.flatMap((one) => numberOf(one, field, 'value') ?? []).sort((a, b) => a - b);
  return sorted.at(end < 0 ? 0 : -1) ?? null;
}

/** Compares two lists of sort values. */
export function compareTuples(
  keys: readonly SortKey[],
  left: readonly SortValue[],
  right: readonly SortValue[],
): number {
  for (const [at, key] of keys.entries()) {
    const a = left[at] ?? null;
    const b = right[at] ?? null;
    if (a === b) continue;
    if (a === null) return 1;
    if (b === null) return -1;
    const order = typeof a === 'string' ? byCodePoints(a, String(b)) : a - Number(b);
    if (order !== 0) return key.order === 'asc' ? order : -order;
  }
  return 0;
}
