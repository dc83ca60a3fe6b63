// Reads `filters`: a map from field to EXISTS, RANGE or TERMS, all of which must match in addition
// to the query, of whatever kind. Names are root paths; a filter below a nested path matches if any
// element does.

import { invalid, Members, type Scalar, wrongType } from '../body.ts';
import { bool, MATCH_ALL, MATCH_NONE, nestedIn } from '../build.ts';
import { constantQuery } from '../language/constant-query.ts';
import { existsQuery } from '../language/exists-query.ts';
import { fieldQuery, Mismatch, valuesQuery } from '../language/field-query.ts';
import type { RequestTexts } from '../language/request-texts.ts';
import type { Bound, Leaf } from '../language/syntax.ts';
import { limitFault, type QueryLimits } from '../limits.ts';
import { FieldNames, type Operand, ROOT } from '../mapping/field-names.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { Query } from '../query.ts';
import { sizeOf } from '../query-parts.ts';

/** One filter of a request, with checked JSON types. */
export interface FilterBody {
  readonly field: string;
  readonly type: string | undefined;
  readonly exclude: boolean;
  readonly terms: readonly string[] | undefined;
  readonly range:
    | { readonly lower: Bound | undefined; readonly upper: Bound | undefined }
    | undefined;
}

/** @throws ServiceError `body_malformed` */
export function readFilters(filters: Members | undefined): readonly FilterBody[] {
  if (filters === undefined) return [];
  return filters
    .names()
    .map((field) => readFilter(field, new Members(filters.get(field), filters.pathOf(field))));
}

/** A validated filter, not yet resolved against an index. */
export type Filter = { readonly field: string; readonly exclude: boolean } & (
  | { readonly kind: 'exists' }
  | { readonly kind: 'range'; readonly leaf: Leaf & { readonly kind: 'range' } }
  | { readonly kind: 'terms'; readonly terms: readonly string[] }
);

/** @throws ServiceError `request_invalid`, `limit_exceeded` */
export function checkFilters(
  bodies: readonly FilterBody[],
  limits: QueryLimits,
): readonly Filter[] {
  if (bodies.length > limits.maxClauses) {
    throw limitFault('maxClauses', limits.maxClauses, 'filters in a request');
  }
  const terms = bodies.reduce((sum, body) => sum + (body.terms?.length ?? 0), 0);
  if (terms > limits.maxTerms) throw limitFault('maxTerms', limits.maxTerms, 'terms in filters');
  return bodies.map(checkFilter);
}

/**
 * Resolves all filters on one index to queries that must match (`filter`) and must not (`mustNot`).
 */
export function filterQueries(
  filters: readonly Filter[],
  mapping: Mapping,
  texts: RequestTexts,
  limits: QueryLimits,
): { readonly filter: readonly Query[]; readonly mustNot: readonly Query[] } {
  const names = new FieldNames(mapping);
  let existsCount = 0;
  const queries = filters.map((filter) => {
    const query = filterQuery(filter, names, texts, limits);
    if (filter.kind === 'exists') existsCount += sizeOf(query);
    if (existsCount > limits.maxTerms) {
      throw limitFault('maxTerms', limits.maxTerms, 'fields in EXISTS filters once expanded');
    }
    return { exclude: filter.exclude, query };
  });
  return {
    filter: queries.filter(({ exclude }) => !exclude).map(({ query }) => query),
    mustNot: queries.filter(({ exclude }) => exclude).map(({ query }) => query),
  };
}

/** Combines a query with filters. */
export function withFilters(
  query: Query,
  { filter, mustNot }: { readonly filter: readonly Query[]; readonly mustNot: readonly Query[] },
): Query {
  if (filter.length + mustNot.length === 0) return query;
  return bool({ must: [query], filter, mustNot });
}

function readFilter(field: string, members: Members): FilterBody {
  const range = members.members('range');
  return {
    field,
    type: members.string('type'),
    exclude: members.boolean('exclude') ?? false,
    terms: members.scalars('terms')?.map((term, at) => {
      if (term !== null) return String(term);
      throw wrongType(`${members.pathOf('terms')}[${at}]`, 'a string');
    }),
    range: range && { lower: readBound(range, 'lower'), upper: readBound(range, 'upper') },
  };
}

function readBound(range: Members, side: 'lower' | 'upper'): Bound | undefined {
  const bound = range.members(side);
  if (bound === undefined) return undefined;
  const value = bound.get('value');
  if (value === undefined) throw invalid(`${bound.pathOf('value')}: a bound needs a value`);
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw wrongType(bound.pathOf('value'), 'a string');
  }
  return { text: String(value satisfies Scalar), inclusive: bound.boolean('inclusive') ?? false };
}

function checkFilter({ field, type, exclude, terms, range }: FilterBody): Filter {
  const path = `filters.${field}`;
  switch (type ?? inferredType(path, terms, range)) {
    case 'EXISTS':
      return { kind: 'exists', field, exclude };
    case 'RANGE': {
      const { lower, upper } = range ?? {};
      if (lower === undefined && upper === undefined) {
        throw invalid(`${path}.range: a RANGE filter needs lower, upper or both`);
      }
      const leaf = { kind: 'range', ...(lower && { lower }), ...(upper && { upper }) } as const;
      return { kind: 'range', field, exclude, leaf };
    }
    case 'TERMS':
      if (terms === undefined || terms.length === 0) {
        throw invalid(`${path}.terms: a TERMS filter needs at least one term`);
      }
      return { kind: 'terms', field, exclude, terms };
    default:
      throw invalid(`${path}.type: ${JSON.stringify(type)} is none of EXISTS, RANGE, TERMS`);
  }
}

/** The type of a filter without `type`, by its only member. */
function inferredType(path: string, terms: unknown, range: unknown): 'TERMS' | 'RANGE' {
  if (terms !== undefined && range === undefined) return 'TERMS';
  if (range !== undefined && terms === undefined) return 'RANGE';
  throw invalid(`${path}.type: expected EXISTS, RANGE or TERMS`);
}

function filterQuery(
  filter: Filter,
  names: FieldNames,
  texts: RequestTexts,
  limits: QueryLimits,
): Query {
  const name = filter.field.startsWith('@') ? filter.field.slice(1) : filter.field;
  if (filter.kind === 'exists') return existsQuery(name, ROOT, names);
  const operand = names.find(name, ROOT);
  if (operand === undefined) return MATCH_NONE;
  const query = operandQuery(filter, operand, texts, limits.maxClauses);
  if (query instanceof Mismatch) throw invalid(`filters.${filter.field}: ${query.problem}`);
  if (query === null) return MATCH_NONE;
  const nested = operand.kind === 'field' ? operand.field.nested : null;
  return nested === null ? query : nestedIn(nested, query);
}

function operandQuery(
  filter: Exclude<Filter, { readonly kind: 'exists' }>,
  operand: Operand,
  texts: RequestTexts,
  maxClauses: number,
): Query | Mismatch | null {
  if (operand.kind === 'field') {
    // Each date becomes a range clause.
    if (filter.kind === 'terms' && operand.field.type === 'date') {
      const { length } = filter.terms;
      if (length > maxClauses)
        throw limitFault('maxClauses', maxClauses, `dates in ${filter.field}`);
    }
    return filter.kind === 'terms'
      ? valuesQuery(filter.terms, operand.field, operand.exact, texts)
      : fieldQuery(filter.leaf, operand.field, operand.exact, texts);
  }
  const leaves: readonly Leaf[] =
    filter.kind === 'range' ? [filter.leaf] : filter.terms.map((text) => ({ kind: 'term', text }));
  const matches = leaves.some(
    (leaf) => constantQuery(leaf, operand.value, operand.exact).kind === 'matchAll',
  );
  return matches ? MATCH_ALL : MATCH_NONE;
}
