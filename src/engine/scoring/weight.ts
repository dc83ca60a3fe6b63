// A query bound to the segments and statistics of one index (Lucene's Weight); it creates a scorer
// per segment. create-weight.ts chooses the weight of each kind of query.
import { MAX_BOOST, type Query } from '../../query/query.ts';
import type { IndexSegments } from '../index/query-cache.ts';
import type { Scorer } from './scorer.ts';

export interface Weight {
  /** Creates a cursor over the matching rows of a view; null if there are none. May take long. */
  scorer(view: number): Generator<void, Scorer | null>;
  /**
   * Number of matching rows of a view, deleted ones included, if known without a search; else -1.
   */
  count(view: number): number;
}

/** Which rows a query matches, and how they are scored. */
export interface ScoringScope {
  /** The nested path whose elements are matched; null for documents. */
  readonly path: string | null;
  /** Whether scores are needed. */
  readonly scoring: boolean;
  /** Factor of all scores, passed down to the clauses as in Lucene. */
  readonly boost: number;
}

/** What a query is evaluated on. */
export interface Scope extends IndexSegments, ScoringScope {}

/** Binds a query; passed to weights with inner queries. */
export type CreateWeight = (query: Query, scope: Scope) => Generator<void, Weight>;

/** The same scope without scores. */
export function unscored<S extends ScoringScope>(scope: S): S {
  return { ...scope, scoring: false, boost: 1 };
}

/** The scope of the clauses of a query, with the query's own boost multiplied in. */
export function boostedScope<S extends ScoringScope>(scope: S, boost: number | undefined): S {
  if (boost === undefined || boost === 1) return scope;
  return { ...scope, boost: Math.fround(Math.min(scope.boost * boost, MAX_BOOST)) };
}
