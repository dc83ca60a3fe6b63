// What those who tell results share: the budget, the sources of hits, and the way to what is inside a bucket.
import type { Aggregations } from '../../query/aggregation.ts';
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
