// Weight of a nested query: binds the inner query to the rows of the nested table.
import type { Query } from '../../query/query.ts';
import { done, mapSteps } from '../../query/steps.ts';
import type { CreateWeight, Scope, ScoringScope, Weight } from '../scoring/weight.ts';
import { noneWeight } from '../terms/constant-weight.ts';
import { tableOf } from '../terms/field-terms.ts';
import { NestedScorer } from './nested-scorer.ts';

type NestedQuery = Extract<Query, { readonly kind: 'nested' }>;

export function* nestedWeight(
  query: NestedQuery,
  scope: Scope,
  create: CreateWeight,
): Generator<void, Weight> {
  if (scope.path !== null) return noneWeight(); // nesting has one level
  const inner = elementScope(query, scope);
  const mode = inner.scoring ? query.scoreMode : 'none';
  const weight = yield* create(query.query, inner);
  return {
    scorer: (view) => {
      const table = tableOf(scope.views[view]!, query.path);
      if (table === undefined || table.rowCount === 0) return done(null);
      return mapSteps(weight.scorer(view), (child) =>
        child === null ? null : new NestedScorer(child, table, mode),
      );
    },
    count: () => -1,
  };
}

/** The scope of the inner query: its elements, scored only if their scores count. */
export function elementScope<S extends ScoringScope>(
  { path, scoreMode }: NestedQuery,
  scope: S,
): S {
  return { ...scope, path, scoring: scope.scoring && scoreMode !== 'none' };
}
