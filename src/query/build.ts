// Factories of plan nodes that keep a plan small: clauses that match nothing are dropped, single
// clauses are not wrapped.
// Invariant: no simplification changes which documents match or how their scores compare.
import { MAX_BOOST, type Query } from './query.ts';

export const MATCH_ALL: Query = { kind: 'matchAll' };
export const MATCH_NONE: Query = { kind: 'matchNone' };

/** The clauses of a boolean query by occurrence; absent means empty. */
export interface Occurrences {
  readonly must?: readonly Query[];
  readonly should?: readonly Query[];
  readonly filter?: readonly Query[];
  readonly mustNot?: readonly Query[];
}

/**
 * Matches all of must and filter, none of mustNot and, without must and filter, at least one of
 * should.
 */
export function bool(occurrences: Occurrences): Query {
  const { must = NO_QUERIES, filter = NO_QUERIES } = occurrences;
  const { should: written = NO_QUERIES, mustNot: excluded = NO_QUERIES } = occurrences;
  if (must.some(matchesNothing) || filter.some(matchesNothing)) return MATCH_NONE;
  if (excluded.some(({ kind }) => kind === 'matchAll')) return MATCH_NONE;
  const should = withoutNothing(written);
  const mustNot = withoutNothing(excluded);
  const required = must.length + filter.length;
  if (required === 0 && should.length === 0 && written.length > 0) return MATCH_NONE;
  if (required + should.length === 0 && mustNot.length === 0) {
    return excluded.length > 0 ? MATCH_ALL : MATCH_NONE;
  }
  const [only] = must.length === 1 ? must : should;
  const single = must.length + should.length === 1 && filter.length + mustNot.length === 0;
  if (single && only !== undefined) return only;
  return { kind: 'bool', must, should, filter, mustNot };
}

const NO_QUERIES: readonly Query[] = [];

/** The queries that may match; the list itself, if all may. */
function withoutNothing(queries: readonly Query[]): readonly Query[] {
  return queries.some(matchesNothing) ? queries.filter((query) => !matchesNothing(query)) : queries;
}

/** Matches any of the queries; scores their sum. */
export function anyOf(queries: readonly Query[]): Query {
  return bool({ should: queries });
}

/** Matches any of the queries; scores the best. */
export function bestOf(queries: readonly Query[]): Query {
  const matchable = queries.filter((query) => !matchesNothing(query));
  const [only] = matchable;
  if (only === undefined) return MATCH_NONE;
  return matchable.length === 1 ? only : { kind: 'disMax', queries: matchable, tieBreaker: 0 };
}

/** Matches root documents with a nested element of `path` that matches the query. */
export function nestedIn(path: string, query: Query): Query {
  return matchesNothing(query) ? MATCH_NONE : { kind: 'nested', path, query, scoreMode: 'max' };
}

/**
 * As `nestedIn`, but each clause of a bool may match a different element, as if all were one
 * document.
 */
export function flattenedIn(path: string, query: Query): Query {
  const nestedEach = (queries: readonly Query[]) => queries.map((part) => nestedIn(path, part));
  if (query.kind !== 'bool') return nestedIn(path, query);
  const anyOneSuffices = query.must.length === 0 && (query.minimumShouldMatch ?? 1) <= 1;
  if (anyOneSuffices || query.filter.length + query.mustNot.length > 0)
    return nestedIn(path, query);
  return { ...query, must: nestedEach(query.must), should: nestedEach(query.should) };
}

/** Multiplies the score of a query, on top of its present boost. */
export function boosted(query: Query, boost: number | undefined): Query {
  if (boost === undefined || boost === 1 || matchesNothing(query)) return query;
  if (!('boost' in query) || query.boost === undefined) return { boost, ...query } as Query;
  return { ...query, boost: Math.min(query.boost * boost, MAX_BOOST) };
}

export function matchesNothing(query: Query): boolean {
  return query.kind === 'matchNone';
}
