// Creates the weight of a query by its kind. Each family of kinds has its own file.

import type { Query } from '../../query/query.ts';
import { oneStep } from '../../query/steps.ts';
import { cachedScorers, cachedWeight } from '../rows/row-set-cache.ts';
import { termExpansion } from '../terms/term-expansion.ts';
import { BitSetScorer } from './bit-set-scorer.ts';
import { booleanWeight, disMaxWeight } from './boolean-weight.ts';
import { existsRows, idRows, numberRangeRows, numberRows } from './column-rows.ts';
import { allWeight, noneWeight, type RowsOf, rowsWeight } from './constant-weight.ts';
import { fuzzyWeight } from './fuzzy-weight.ts';
import { isLocal } from './locality.ts';
import { nestedWeight } from './nested-weight.ts';
import { phraseWeight } from './phrase-weight.ts';
import { ConstantScorer } from './scorer.ts';
import { termWeight } from './term-weight.ts';
import { boostedScope, type Scope, unscored, type Weight } from './weight.ts';

/** Binds a query to a scope. Yields, as it may take long. Throws what termExpansion throws. */
export function* createWeight(query: Query, outer: Scope): Generator<void, Weight> {
  if (query.kind === 'matchNone') return noneWeight();
  const scope = boostedScope(outer, query.boost);
  switch (query.kind) {
    case 'matchAll':
      return allWeight(scope);
    case 'term':
      return yield* termWeight(query, scope);
    case 'fuzzy':
      return yield* fuzzyWeight(query, scope);
    case 'bool':
      return yield* booleanWeight(query, scope, createWeight);
    case 'disMax':
      return yield* disMaxWeight(query, scope, createWeight);
    case 'phrase':
    case 'nested': {
      const make = (): Generator<void, Weight> =>
        query.kind === 'phrase'
          ? phraseWeight(query, scope)
          : nestedWeight(query, scope, createWeight);
      if (scope.scoring || !isLocal(query)) return yield* make();
      return yield* cachedScorers(query, scope, make);
    }
    case 'constantScore':
      return constantWeight(yield* createWeight(query.query, unscored(scope)), scope.boost);
    case 'terms':
    case 'prefix':
    case 'wildcard':
    case 'regexp':
    case 'termRange':
      return yield* cachedRows(query, scope, () => termExpansion(query, scope));
    case 'numberRange':
      return yield* cachedRows(query, scope, () => numberRangeRows(query, scope));
    case 'numbers':
      return yield* cachedRows(query, scope, () => numberRows(query, scope));
    case 'exists':
      return yield* cachedRows(query, scope, () => existsRows(query, scope));
    case 'ids':
      return rowsWeight(scope, idRows(query, scope));
  }
}

function cachedRows(query: Query, scope: Scope, rows: () => RowsOf): Generator<void, Weight> {
  return cachedWeight(query, scope, () => oneStep(rows));
}

function constantWeight(inner: Weight, constant: number): Weight {
  return {
    *scorer(view) {
      const scorer = yield* inner.scorer(view);
      if (scorer instanceof BitSetScorer) return scorer.scoring(constant);
      return scorer === null ? null : new ConstantScorer(scorer, constant);
    },
    count: (view) => inner.count(view),
  };
}
