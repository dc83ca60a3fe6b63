// Makers of plan nodes that keep a plan small: what cannot match is left out, what stands alone is not wrapped.
// Invariant: none of it changes which documents match or how they score against each other.
import type { Query } from './query.ts';

export const MATCH_ALL: Query = { kind: 'matchAll' };
export const MATCH_NONE: Query = { kind: 'matchNone' };

/** The occurrences of a boolean query that are not empty. */
export interface Occurrences {
  readonly must?: readonly Query[];
  readonly should?: readonly Query[];
  readonly filter?: readonly Query[];
  readonly mustNot?: readonly Query[];
}

/** All of must and filter, none of mustNot and, where there is neither must nor filter, at least one of should. */
export function bool(occurrences: Occurrences): Query {
  const must = occurrences.must ?? [];
  const filter = occurrences.filter ?? [];
  if ([...must, ...filter].some(isNone)) return MATCH_NONE;
  if ((occurrences.mustNot ?? []).some(({ kind }) => kind === 'matchAll')) return MATCH_NONE;
  const should = (occurrences.should ?? []).filter((query) => !isNone(query));
  const mustNot = (occurrences.mustNot ?? []).filter((query) => !isNone(query));
  const required = must.length + filter.length;
  if (required === 0 && should.length === 0 && (occurrences.should ?? []).length > 0) {
    return MATCH_NONE;
  }
  if (required + should.length === 0 && mustNot.length === 0) {
    return (occurrences.mustNot ?? []).length > 0 ? MATCH_ALL : MATCH_NONE;
  }
  const [only] = must.length === 1 ? must : should;
  const single = must.length + should.length === 1 && filter.length + mustNot.length === 0;
  if (single && only !== undefined) return only;
  return { kind: 'bool', must, should, filter, mustNot };
}

/** Any of the queries, scored by their sum. */
export function anyOf(queries: readonly Query[]): Query {
  return bool({ should: queries });
}

/** Any of the queries, scored by the best. */
export function bestOf(queries: readonly Query[]): Query {
  const able = queries.filter((query) => !isNone(query));
  const [only] = able;
  if (only === undefined) return MATCH_NONE;
  return able.length === 1 ? only : { kind: 'disMax', queries: able, tieBreaker: 0 };
}

/** Root documents with an element below `path` that meets the query. */
export function nestedIn(path: string, query: Query): Query {
  return isNone(query) ? MATCH_NONE : { kind: 'nested', path, query, scoreMode: 'max' };
}

/** The same for a clause of several words, where each may be met by another element: as if all were one document. */
export function flattenedIn(path: string, query: Query): Query {
  const each = (queries: readonly Query[]) => queries.map((part) => nestedIn(path, part));
  if (query.kind !== 'bool') return nestedIn(path, query);
  const needsOne = query.must.length === 0 && (query.minimumShouldMatch ?? 1) <= 1;
  if (needsOne || query.filter.length + query.mustNot.length > 0) return nestedIn(path, query);
  return { ...query, must: each(query.must), should: each(query.should) };
}

/** The query with its score multiplied, on top of what it was multiplied by before. */
export function boosted(query: Query, boost: number | undefined): Query {
  if (boost === undefined || boost === 1 || isNone(query)) return query;
  const before = 'boost' in query && query.boost !== undefined ? query.boost : 1;
  return { ...query, boost: before * boost } as Query;
}

export function isNone(query: Query): boolean {
  return query.kind === 'matchNone';
}
