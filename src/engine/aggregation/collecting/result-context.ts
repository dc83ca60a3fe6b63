// What all functions that build results share: the budget, the sources of hits, and the way to
// build the results of sub-aggregations.
import type { Aggregations } from '../../../query/aggregation.ts';
import type { Budget } from './budget.ts';
import type { RequestAggregation } from './collector.ts';
import type { HitSources } from './hit-sources.ts';
import type { Bucket } from './intermediate.ts';

export interface ResultContext {
  readonly budget: Budget;
  readonly hits: HitSources;
  readonly request: RequestAggregation;
}

/** Builds the results of the sub-aggregations of a bucket. */
export type BuildSubResults = (
  bucket: Bucket | undefined,
) => Generator<void, Record<string, unknown>>;

export interface BucketContext extends ResultContext {
  /** The sub-aggregations, as each index has them. */
  readonly indices: readonly Aggregations[];
  readonly buildSubResults: BuildSubResults;
}

/** The results of an aggregation without sub-aggregations. */
export const NO_SUB_RESULTS: Readonly<Record<string, unknown>> = {};

/**
 * Combines a bucket's own members with those of its sub-aggregations, which win. Most buckets have
 * none, and copying would cost more than counting did.
 */
export function withSubResults(
  members: Record<string, unknown>,
  subResults: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return subResults === NO_SUB_RESULTS ? members : { ...members, ...subResults };
}
