// The sub-aggregations of a bucket aggregation.
import type { Aggregations } from '../../../query/aggregation.ts';
import { done, mapSteps } from '../../../query/steps.ts';
import type { Collector, CreateCollector, IndexAggregation, SegmentContext } from './collector.ts';
import type { Intermediate } from './intermediate.ts';
import type { CountedSet } from './rows.ts';

export class SubAggregations {
  readonly isEmpty: boolean;
  readonly #collectors: readonly Collector[];

  constructor(aggregations: Aggregations, index: IndexAggregation, create: CreateCollector) {
    this.#collectors = Object.values(aggregations).map((aggregation) => create(aggregation, index));
    this.isEmpty = this.#collectors.length === 0;
  }

  enter(context: SegmentContext): Generator<void> {
    return this.#each((collector) => collector.enter(context));
  }

  leave(): Generator<void> {
    return this.#each((collector) => collector.leave());
  }

  /** Collects rows with the numbers of their buckets; null: all are in bucket 0. */
  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    for (const collector of this.#collectors) collector.collect(rows, buckets, count);
  }

  /** Collects a set of rows, all in bucket 0. */
  collectSet(set: CountedSet): Generator<void> {
    return this.#each((collector) => collector.collectSet(set));
  }

  /** Returns the result of each sub-aggregation in a bucket. */
  results(bucket: number): Generator<void, (Intermediate | undefined)[]> {
    const [only] = this.#collectors;
    if (only === undefined) return done([]);
    if (this.#collectors.length > 1) return this.#severalResults(bucket);
    return mapSteps(only.result(bucket), (result) => [result]);
  }

  /** Most aggregations have one sub-aggregation or none: no generator is made around its own. */
  #each(steps: (collector: Collector) => Generator<void>): Generator<void> {
    const [only] = this.#collectors;
    if (only === undefined) return done(undefined);
    return this.#collectors.length === 1 ? steps(only) : this.#several(steps);
  }

  *#several(steps: (collector: Collector) => Generator<void>): Generator<void> {
    for (const collector of this.#collectors) yield* steps(collector);
  }

  *#severalResults(bucket: number): Generator<void, (Intermediate | undefined)[]> {
    const results: (Intermediate | undefined)[] = [];
    for (const collector of this.#collectors) results.push(yield* collector.result(bucket));
    return results;
  }
}
