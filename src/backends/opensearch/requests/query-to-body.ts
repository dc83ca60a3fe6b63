// One node of a plan's query in OpenSearch's query language. Kinds with a constant score are
// wrapped, so that no rewrite in OpenSearch changes it; terms are sent unchanged and not analysed
// again.
import { scores } from '../../../engine/scoring/scoring.ts';
import { withoutNegatedClasses } from '../../../query/language/regexp.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import { MAX_BOOST, type Query } from '../../../query/query.ts';
import { columnName, encodedPath, formColumn, type NumberType, numberTypeOf } from './columns.ts';
import { documentId } from './documents.ts';
import { PHRASE_ANALYZER, PHRASE_SEPARATOR } from './index-template.ts';

export type Json = Readonly<Record<string, unknown>>;

type QueryOf<Kind extends Query['kind']> = Extract<Query, { readonly kind: Kind }>;

export const MATCH_NONE: Json = { match_none: {} };
export const MATCH_ALL: Json = { match_all: {} };

/** Lucene 10's operators without the complement, which the language refuses. */
const REGEXP_FLAGS = 'INTERSECTION|EMPTY|ANYSTRING|INTERVAL';
/**
 * Limits the work of determinizing an automaton: Lucene's default, as automata are held in memory.
 */
const REGEXP_STATES = 10_000;

/** The mapping of the fields of a query, and what it is inside of. */
export interface QueryScope {
  readonly mapping: Mapping;
  /** The nested path; null for documents. */
  readonly path: string | null;
  /** The product of the boosts around it; 1 if omitted. */
  readonly boost?: number;
}

export function queryBody(query: Query, scope: QueryScope): Json {
  const boost = 'boost' in query ? query.boost : undefined;
  if (boost === undefined || boost === 1) return bodyOf(query, scope);
  const { boost: around = 1 } = scope;
  const product = around * boost;
  if (product <= MAX_BOOST) return bodyOf(query, { ...scope, boost: product });
  // OpenSearch fails if a product is beyond a float.
  const limited = { ...query, boost: MAX_BOOST / around } as Query;
  return bodyOf(limited, { ...scope, boost: MAX_BOOST });
}

/** @param scope its boost includes the query's own */
function bodyOf(query: Query, scope: QueryScope): Json {
  switch (query.kind) {
    case 'matchAll':
      return constant(MATCH_ALL, query.boost);
    case 'matchNone':
      return MATCH_NONE;
    case 'term':
      return {
        term: {
          [formColumn(query.field, query.form)]: { value: query.value, ...boostOf(query) },
        },
      };
    case 'terms':
      return constant(
        { terms: { [formColumn(query.field, query.form)]: query.values } },
        query.boost,
      );
    case 'phrase':
      return phrase(query);
    case 'prefix':
      return constant(
        { prefix: { [formColumn(query.field, query.form)]: { value: query.value } } },
        query.boost,
      );
    case 'wildcard':
      return constant(wildcard(query), query.boost);
    case 'regexp':
      return constant(regexp(query), query.boost);
    case 'fuzzy':
      return fuzzy(query);
    case 'termRange':
      return constant(
        { range: { [formColumn(query.field, query.form)]: termBounds(query) } },
        query.boost,
      );
    case 'numberRange':
      return numberRange(query, scope);
    case 'numbers':
      return constant(numbers(query, scope), query.boost);
    case 'exists':
      return constant(exists(query, scope), query.boost);
    case 'ids':
      if (scope.path !== null) return MATCH_NONE;
      return constant({ ids: { values: query.values.map(documentId) } }, query.boost);
    case 'bool':
      return bool(query, scope);
    case 'disMax':
      if (query.queries.length === 0) return MATCH_NONE;
      return {
        dis_max: {
          queries: query.queries.map((one) => queryBody(one, scope)),
          tie_breaker: query.tieBreaker,
          ...boostOf(query),
        },
      };
    case 'constantScore':
      return constant(queryBody(query.query, scope), query.boost);
    case 'nested':
      return nested(query, scope);
  }
}

/** Whether results without sort keys are ordered by score. */
export function ordersByScore(queries: readonly Query[]): boolean {
  return queries.some(scores);
}

function constant(filter: Json, boost: number | undefined): Json {
  return { constant_score: { filter, ...(boost === undefined ? {} : { boost }) } };
}

function boostOf({ boost }: { readonly boost?: number }): Json {
  return boost === undefined ? {} : { boost };
}

function phrase(query: QueryOf<'phrase'>): Json {
  if (query.terms.length === 0) return MATCH_NONE;
  const { slop, prefixExpansions } = query;
  const parameters = {
    query: query.terms.join(PHRASE_SEPARATOR),
    analyzer: PHRASE_ANALYZER,
    slop,
    ...boostOf(query),
  };
  const field = columnName(query.field, 'words');
  if (prefixExpansions === undefined) return { match_phrase: { [field]: parameters } };
  return { match_phrase_prefix: { [field]: { ...parameters, max_expansions: prefixExpansions } } };
}

/** OpenSearch matches nothing for the empty pattern. */
function wildcard({ field, form, pattern }: QueryOf<'wildcard'>): Json {
  const column = formColumn(field, form);
  return pattern === ''
    ? { term: { [column]: { value: '' } } }
    : { wildcard: { [column]: { value: pattern } } };
}

/** OpenSearch lower-cases the patterns of folded columns, and so `\D`. */
function regexp({ field, form, pattern }: QueryOf<'regexp'>): Json {
  return {
    regexp: {
      [formColumn(field, form)]: {
        value: form === 'folded' ? withoutNegatedClasses(pattern) : pattern,
        flags: REGEXP_FLAGS,
        max_determinized_states: REGEXP_STATES,
      },
    },
  };
}

function fuzzy(query: QueryOf<'fuzzy'>): Json {
  const { value, maxEdits, prefixLength, maxExpansions } = query;
  if (value === '') return fuzzyEmptyText(query);
  return {
    fuzzy: {
      [formColumn(query.field, query.form)]: {
        value,
        fuzziness: String(maxEdits),
        prefix_length: prefixLength,
        max_expansions: maxExpansions,
        rewrite: `top_terms_blended_freqs_${maxExpansions}`,
        ...boostOf(query),
      },
    },
  };
}

/** No value is beyond a long: such a bound is unbounded, or excludes everything. */
const LONG_END = 2 ** 63;

function numberRange(query: QueryOf<'numberRange'>, scope: QueryScope): Json {
  const column = columnName(query.field, query.column);
  const type = typeOf(query, scope);
  if (type === 'boolean') return constant(booleans(column, query), query.boost);
  let bounds: Bounds<number> = query;
  if (type !== 'double') {
    const { gt, gte, lt, lte } = query;
    const lower = [gt, gte].filter((bound) => bound !== undefined);
    const upper = [lt, lte].filter((bound) => bound !== undefined);
    if (lower.some((bound) => bound >= LONG_END)) return MATCH_NONE;
    if (upper.some((bound) => bound < -LONG_END)) return MATCH_NONE;
    const inside = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < LONG_END;
    const inRange = Object.entries({ gt, gte, lt, lte }).filter(([, bound]) => inside(bound));
    bounds = Object.fromEntries(inRange);
  }
  const range = type === 'date' ? instants(bounds) : boundsOf(bounds);
  return constant({ range: { [column]: range } }, query.boost);
}

function numbers(query: QueryOf<'numbers'>, scope: QueryScope): Json {
  const { values } = query;
  const column = columnName(query.field, query.column);
  const type = typeOf(query, scope);
  if (type === 'double') return { terms: { [column]: values } };
  const integers = values.filter((value) => Number.isInteger(value) && Math.abs(value) < LONG_END);
  switch (type) {
    case 'long':
      return { terms: { [column]: integers } };
    case 'boolean':
      return { terms: { [column]: [0, 1].filter((one) => values.includes(one)).map(Boolean) } };
    case 'date': {
      const ranges = integers.map((value) => instants({ gte: value, lte: value }));
      const should = ranges.map((range) => ({ range: { [column]: range } }));
      return should.length === 0 ? MATCH_NONE : { bool: { should, minimum_should_match: 1 } };
    }
  }
}

/** The booleans between bounds. */
function booleans(column: string, { gt, gte, lt, lte }: Bounds<number>): Json {
  const inside = [0, 1].filter(
    (value) =>
      value > (gt ?? Number.NEGATIVE_INFINITY) &&
      value >= (gte ?? Number.NEGATIVE_INFINITY) &&
      value < (lt ?? Number.POSITIVE_INFINITY) &&
      value <= (lte ?? Number.POSITIVE_INFINITY),
  );
  return { terms: { [column]: inside.map(Boolean) } };
}

/**
 * Bounds of instants. OpenSearch 3.3 rounds instants before 1970 by one in bounds of the other kinds,
 * and in terms.
 */
function instants(bounds: Bounds<number>): Json {
  const { gt, gte, lt, lte } = boundsOf(bounds);
  return {
    ...(gte !== undefined && { gte: digits(Math.ceil(gte), 0n) }),
    ...(gt !== undefined && { gte: digits(Math.floor(gt), 1n) }),
    ...(lt !== undefined && { lt: digits(Math.ceil(lt), 0n) }),
    ...(lte !== undefined && { lt: digits(Math.floor(lte), 1n) }),
    format: 'epoch_millis',
  };
}

/** The digits that an integer has in documents, and one more or not. */
function digits(integer: number, added: bigint): string {
  return String(BigInt(String(integer)) + added);
}

/** Values without a field are integers. */
function typeOf(
  { field, column }: QueryOf<'numberRange'> | QueryOf<'numbers'>,
  { mapping }: QueryScope,
): NumberType {
  const mappedField = mapping.fields.get(field);
  return mappedField === undefined ? 'long' : numberTypeOf(mappedField, column);
}

/**
 * OpenSearch finds no term near the empty text; it is near all texts of at most `maxEdits` letters.
 */
function fuzzyEmptyText(query: QueryOf<'fuzzy'>): Json {
  const column = formColumn(query.field, query.form);
  const short = { regexp: { [column]: { value: `.{1,${query.maxEdits}}` } } };
  const near = query.maxEdits === 0 ? [] : [{ constant_score: { filter: short, boost: 0 } }];
  const should = [{ term: { [column]: { value: '' } } }, ...near];
  return { bool: { should, minimum_should_match: 1, ...boostOf(query) } };
}

interface Bounds<Bound> {
  readonly gt?: Bound;
  readonly gte?: Bound;
  readonly lt?: Bound;
  readonly lte?: Bound;
}

/** Without a lower bound OpenSearch would also match a text without a word, by an exists query. */
function termBounds(query: QueryOf<'termRange'>): Bounds<string> {
  const bounds = boundsOf(query);
  return 'gt' in bounds || 'gte' in bounds ? bounds : { gte: '', ...bounds };
}

/** OpenSearch takes one bound a side: of two, the tighter one is sent. */
function boundsOf<Bound extends string | number>({
  gt,
  gte,
  lt,
  lte,
}: Bounds<Bound>): Bounds<Bound> {
  const isOpenBelow = gt !== undefined && !(gte !== undefined && isAfter(gte, gt));
  const isOpenAbove = lt !== undefined && !(lte !== undefined && isAfter(lt, lte));
  return {
    ...(isOpenBelow ? { gt } : gte !== undefined && { gte }),
    ...(isOpenAbove ? { lt } : lte !== undefined && { lte }),
  };
}

/** In number or code point order. */
function isAfter(left: string | number, right: string | number): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left > right;
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right))) > 0;
}

function exists({ field }: QueryOf<'exists'>, { mapping }: QueryScope): Json {
  const mappedField = mapping.fields.get(field);
  if (mappedField === undefined) return MATCH_NONE;
  const { type, dynamic } = mappedField;
  const isString = dynamic || type === 'text' || type === 'keyword';
  return { exists: { field: columnName(field, isString ? 'exact' : 'value') } };
}

function bool(query: QueryOf<'bool'>, scope: QueryScope): Json {
  const bodies = (queries: readonly Query[]): Json[] => queries.map((one) => queryBody(one, scope));
  const { should } = query;
  const filter = bodies(query.filter);
  const required = query.must.length + filter.length > 0;
  const least = required || should.length === 0 ? 0 : 1;
  const minimum = Math.max(least, query.minimumShouldMatch ?? least);
  if (minimum > should.length) return MATCH_NONE;
  // Negations alone match everything else, with a score of 0.
  if (!required && minimum === 0) filter.push(MATCH_ALL);
  return {
    bool: {
      ...(query.must.length > 0 ? { must: bodies(query.must) } : {}),
      ...(filter.length > 0 ? { filter } : {}),
      ...(query.mustNot.length > 0 ? { must_not: bodies(query.mustNot) } : {}),
      ...(should.length > 0 ? { should: bodies(should), minimum_should_match: minimum } : {}),
      ...boostOf(query),
    },
  };
}

function nested(query: QueryOf<'nested'>, scope: QueryScope): Json {
  // Nesting has one level.
  if (scope.path !== null || !scope.mapping.nestedPaths.includes(query.path)) return MATCH_NONE;
  return {
    nested: {
      path: encodedPath(query.path),
      query: queryBody(query.query, { ...scope, path: query.path }),
      score_mode: query.scoreMode,
      ignore_unmapped: true,
      ...boostOf(query),
    },
  };
}
