// Weights whose matches all have the same score: all rows, no rows, and sets of rows.

import { done, mapSteps } from '../../query/steps.ts';
import { BitSetScorer } from '../scoring/bit-set-scorer.ts';
import { RowListScorer } from '../scoring/row-list-scorer.ts';
import { AllScorer, ConstantScorer, type Scorer } from '../scoring/scorer.ts';
import type { Scope, Weight } from '../scoring/weight.ts';
import { tableOf } from './field-terms.ts';

/** The matching rows of a view: a set, a short list, all rows, a cursor, or null for none. */
export type Rows =
  | { readonly kind: 'set'; readonly bits: Uint32Array; readonly count?: number }
  /** Ascending, each once. */
  | { readonly kind: 'list'; readonly rows: Int32Array }
  | { readonly kind: 'all' }
  /** `usesMin`: after how many uses of a query its rows are worth gathering; default 1. */
  | { readonly kind: 'cursor'; readonly scorer: Scorer; readonly usesMin?: number }
  | null;

/** Computes the matching rows of a view. */
export type RowsOf = (view: number) => Generator<void, Rows>;

export function allWeight(scope: Scope): Weight {
  const rowCount = (view: number): number => tableOf(scope.views[view]!, scope.path)?.rowCount ?? 0;
  return {
    scorer: (view) => {
      const rows = rowCount(view);
      return done(rows === 0 ? null : new AllScorer(rows, scope.boost));
    },
    count: rowCount,
  };
}

export function noneWeight(): Weight {
  return NONE;
}

/** True for the weight that matches no rows in any view. */
export function isNone(weight: Weight): boolean {
  return weight === NONE;
}

const NONE: Weight = {
  scorer: () => done(null),
  count: () => 0,
};

export function rowsWeight(scope: Scope, rowsOf: RowsOf): Weight {
  return {
    scorer: (view) => mapSteps(rowsOf(view), (rows) => rowsScorer(scope, rows, view)),
    count: () => -1,
  };
}

function rowsScorer({ views, path, scoring, boost }: Scope, rows: Rows, view: number) {
  if (rows === null) return null;
  switch (rows.kind) {
    case 'set':
      return new BitSetScorer(rows.bits, boost, rows.count);
    case 'list':
      return new RowListScorer(rows.rows, boost);
    case 'cursor':
      return scoring ? new ConstantScorer(rows.scorer, boost) : rows.scorer;
    case 'all':
      return new AllScorer(tableOf(views[view]!, path)?.rowCount ?? 0, boost);
  }
}
