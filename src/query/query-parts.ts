// The one walk over a query: the clauses directly inside it, the same query with others there, and what
// is asked about all of them: its size, and whether it expands.
// Invariant: a new kind of query does not compile until it has a place here.
import type { Query } from './query.ts';

/**
 * Occurrence of a clause in its parent; the parts of `disMax` are `should`, those of other wrappers
 * `must`.
 */
export type Occurrence = 'must' | 'should' | 'filter' | 'mustNot';

/** A clause inside another. */
export interface Part {
  readonly occurrence: Occurrence;
  readonly query: Query;
}

/** Queries without others inside that score a constant. */
export type ConstantQuery = Extract<
  Query,
  {
    readonly kind:
      | ('matchAll' | 'matchNone' | 'ids' | 'exists' | 'terms' | 'prefix' | 'wildcard' | 'regexp')
      | ('termRange' | 'numberRange' | 'numbers');
  }
>;

/** Queries without others inside that score by statistics. */
export type RankedQuery = Extract<Query, { readonly kind: 'term' | 'phrase' | 'fuzzy' }>;

/** Queries without others inside. */
export type LeafQuery = ConstantQuery | RankedQuery;

/** Returns the clauses directly inside a query, in the order of their occurrences. */
export function partsOf(query: Query): readonly Part[] {
  switch (query.kind) {
    case 'bool':
      return OCCURRENCES.flatMap((occurrence) =>
        query[occurrence].map((part) => ({ occurrence, query: part })),
      );
    case 'disMax':
      return query.queries.map((part) => ({ occurrence: 'should', query: part }));
    case 'constantScore':
    case 'nested':
      return [{ occurrence: 'must', query: query.query }];
    default:
      query satisfies LeafQuery;
      return [];
  }
}

/** Returns the query with each of the clauses directly inside it replaced. */
export function mapParts<Q extends Query>(query: Q, replace: (part: Part) => Query): Q;
export function mapParts(query: Query, replace: (part: Part) => Query): Query {
  const each = (occurrence: Occurrence, queries: readonly Query[]) =>
    queries.map((part) => replace({ occurrence, query: part }));
  switch (query.kind) {
    case 'bool':
      return {
        ...query,
        must: each('must', query.must),
        should: each('should', query.should),
        filter: each('filter', query.filter),
        mustNot: each('mustNot', query.mustNot),
      };
    case 'disMax':
      return { ...query, queries: each('should', query.queries) };
    case 'constantScore':
    case 'nested':
      return { ...query, query: replace({ occurrence: 'must', query: query.query }) };
    default:
      query satisfies LeafQuery;
      return query;
  }
}

/** The sum of a number of each query without others inside. */
export function sumOfLeaves(query: Query, count: (leaf: LeafQuery) => number): number {
  switch (query.kind) {
    case 'bool':
    case 'disMax':
    case 'constantScore':
    case 'nested':
      return partsOf(query).reduce((sum, part) => sum + sumOfLeaves(part.query, count), 0);
    default:
      return count(query);
  }
}

/** Counts the leaves of a query; each value of a list, and each word of a phrase, counts as one. */
export function sizeOf(query: Query): number {
  return sumOfLeaves(query, sizeOfLeaf);
}

function sizeOfLeaf(leaf: LeafQuery): number {
  if ('values' in leaf) return leaf.values.length;
  return leaf.kind === 'phrase' ? leaf.terms.length : 1;
}

/**
 * What expands to a limited number of terms of the whole index: the nearest ones of a fuzzy word, the
 * first ones of a prefix. Its matches in one segment depend on the other segments, and its matches
 * among visible documents on the hidden ones.
 */
export type Expansion = 'fuzzy words' | 'phrases that end with a prefix';

/** What a clause itself expands, without those inside it. */
export function expansionOf(query: Query): Expansion | null {
  switch (query.kind) {
    case 'fuzzy':
      return 'fuzzy words';
    case 'phrase':
      return query.prefixExpansions === undefined ? null : 'phrases that end with a prefix';
    case 'term':
    case 'bool':
    case 'disMax':
    case 'constantScore':
    case 'nested':
      return null;
    default:
      query satisfies ConstantQuery;
      return null;
  }
}

/** The first expansion in a query; null if it has none. Depends on the query only. */
export function firstExpansion(query: Query): Expansion | null {
  const own = expansionOf(query);
  if (own !== null) return own;
  for (const part of partsOf(query)) {
    const inner = firstExpansion(part.query);
    if (inner !== null) return inner;
  }
  return null;
}

const OCCURRENCES = ['must', 'should', 'filter', 'mustNot'] as const;
