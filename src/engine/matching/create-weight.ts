// Creates the weight of a query by its kind. Each family of kinds has its own file.

import type { Query } from '../../query/query.ts';
import { firstExpansion } from '../../query/query-parts.ts';
import { done, mapSteps } from '../../query/steps.ts';
import { BitSetScorer } from '../scoring/bit-set-scorer.ts';
import { ConstantScorer, type Scorer } from '../scoring/scorer.ts';
import { boostedScope, type Scope, unscored, type Weight } from '../scoring/weight.ts';
import { allWeight, noneWeight, type RowsOf, rowsWeight } from '../terms/constant-weight.ts';
import { termExpansion } from '../terms/term-expansion.ts';
import { booleanWeight, disMaxWeight } from './boolean-weight.ts';
import { existsRows, idRows, numberRangeRows, numberRows } from './column-rows.ts';
import { fuzzyWeight } from './fuzzy-weight.ts';
import { nestedWeight } from './nested-weight.ts';
import { phraseWeight } from './phrase-weight.ts';
import { cachedScorers, cachedWeight } from './row-set-cache.ts';
import { termWeight } from './term-weight.ts';

/**
 * Binds a query to a scope. The steps of the binding throw what termExpansion throws. This returns
 * the generator of the kind instead of being one around it, as a search binds dozens of clauses.
 */
export function createWeight(query: Query, outer: Scope): Generator<void, Weight> {
  if (query.kind === 'matchNone') return done(noneWeight());
  const scope = boostedScope(outer, query.boost);
  switch (query.kind) {
    case 'term':
      return termWeight(query, scope);
    case 'fuzzy':
      return fuzzyWeight(query, scope);
    case 'bool':
      return booleanWeight(query, scope, createWeight);
    case 'disMax':
      return disMaxWeight(query, scope, createWeight);
    case 'phrase':
    case 'nested':
      return scope.scoring || firstExpansion(query) !== null
        ? joinedWeight(query, scope)
        : cachedJoinedWeight(query, scope);
    case 'constantScore':
      return constantWeight(query, scope);
    default:
      return rowsOfWeight(query, scope);
  }
}

type JoinedQuery = Extract<Query, { readonly kind: 'phrase' | 'nested' }>;

/** A weight that joins the positions of words, or elements to their documents. */
function joinedWeight(query: JoinedQuery, scope: Scope): Generator<void, Weight> {
  return query.kind === 'phrase'
    ? phraseWeight(query, scope)
    : nestedWeight(query, scope, createWeight);
}

function cachedJoinedWeight(query: JoinedQuery, scope: Scope): Generator<void, Weight> {
  return cachedScorers(query, scope, () => joinedWeight(query, scope));
}

type RowsQuery = Exclude<
  Query,
  | JoinedQuery
  | { readonly kind: 'matchNone' | 'term' | 'fuzzy' | 'bool' | 'disMax' | 'constantScore' }
>;

/** A weight whose rows all score alike. */
function rowsOfWeight(query: RowsQuery, scope: Scope): Generator<void, Weight> {
  switch (query.kind) {
    case 'matchAll':
      return done(allWeight(scope));
    case 'terms':
    case 'prefix':
    case 'wildcard':
    case 'regexp':
    case 'termRange':
      return cachedRows(query, scope, () => termExpansion(query, scope));
    case 'numberRange':
      return cachedRows(query, scope, () => (view) => numberRangeRows(query, scope, view));
    case 'numbers':
      return cachedRows(query, scope, () => (view) => numberRows(query, scope, view));
    case 'exists':
      return cachedRows(query, scope, () => (view) => existsRows(query, scope, view));
    case 'ids':
      return done(rowsWeight(scope, (view) => idRows(query, scope, view)));
  }
}

function cachedRows(query: Query, scope: Scope, rows: () => RowsOf): Generator<void, Weight> {
  return cachedWeight(query, scope, () => done(rows()));
}

function constantWeight(
  { query }: Extract<Query, { readonly kind: 'constantScore' }>,
  scope: Scope,
): Generator<void, Weight> {
  const { boost } = scope;
  return mapSteps(createWeight(query, unscored(scope)), (inner) => ({
    scorer: (view) => mapSteps(inner.scorer(view), (scorer) => constantScorer(scorer, boost)),
    count: (view) => inner.count(view),
  }));
}

function constantScorer(scorer: Scorer | null, boost: number): Scorer | null {
  if (scorer instanceof BitSetScorer) return scorer.scoring(boost);
  return scorer === null ? null : new ConstantScorer(scorer, boost);
}
