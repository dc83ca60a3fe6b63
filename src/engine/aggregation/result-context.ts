// What those who tell results share: the budget, the sources of hits, and the way to what is inside a bucket.
import type { Aggregations } from '../../query/aggregation/aggregation.ts';
import type { Budget } from './budget.ts';
import type { RequestAggregation } from './collector.ts';
import type { HitSources } from './hit-sources.ts';
import type { Bucket } from './intermediate.ts';

export interface ResultContext {
  readonly budget: Budget;
  readonly hits: HitSources;
  readonly request: RequestAggregation;
}

/** Tells what is inside a bucket; handed to those that make buckets. */
export type TellInside = (bucket: Bucket | undefined) => Generator<void, Record<string, unknown>>;

export interface BucketContext extends ResultContext {
  /** The aggregations inside, as each index has them. */
  readonly indices: readonly Aggregations[];
  readonly inside: TellInside;
}

/** What is told of a bucket with no aggregations inside. */
export const NOTHING_INSIDE: Readonly<Record<string, unknown>> = {};

/** A bucket's own members and what is inside, which wins. Mostly there is nothing, and copying costs more than counting. */
export function withInside(
  members: Record<string, unknown>,
  inside: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return inside === NOTHING_INSIDE ? members : { ...members, ...inside };
}
