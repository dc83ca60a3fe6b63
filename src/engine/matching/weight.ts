// A query bound to the segments and statistics of one index (Lucene's Weight): it makes a scorer for each segment.
// create-weight.ts says which weight each kind of query gets.
import type { Query } from '../../query/query.ts';
import type { SegmentView } from '../index/segment.ts';
import type { Scorer } from './scorer.ts';

export interface Weight {
  /** A cursor over the matching rows of a view; null when there are none. May take long, so it yields. */
  scorer(view: number): Generator<void, Scorer | null>;
  /** How many rows of a view match, deleted ones included, where that is known without looking; else -1. */
  count(view: number): number;
}

/** Where a query is asked. */
export interface Scope {
  /** Never changed in place: what is gathered over all of them is remembered of the list. */
  readonly views: readonly SegmentView[];
  /** The nested path whose elements are asked; null for the documents. */
  readonly path: string | null;
  /** Whether scores are wanted. */
  readonly scoring: boolean;
  /** What scores are multiplied with; handed down, as Lucene does. */
  readonly boost: number;
}

/** Binds a query; handed to the weights that have queries inside. */
export type CreateWeight = (query: Query, scope: Scope) => Generator<void, Weight>;

/** The same place, without scores. */
export function unscored(scope: Scope): Scope {
  return { ...scope, scoring: false, boost: 1 };
}

/** The place of a query's parts: scores there are multiplied with the query's own boost too. */
export function boostedScope(scope: Scope, boost: number | undefined): Scope {
  if (boost === undefined || boost === 1) return scope;
  return { ...scope, boost: Math.fround(scope.boost * boost) };
}
