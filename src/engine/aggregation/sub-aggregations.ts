// The sub-aggregations of a bucket aggregation.
import type { Aggregations } from '../../query/aggregation/aggregation.ts';
import type { Collector, CreateCollector, IndexAggregation, SegmentContext } from './collector.ts';
import type { Intermediate } from './intermediate.ts';
import type { RowSet } from './rows.ts';

export class SubAggregations {
  readonly isEmpty: boolean;
  readonly #collectors: readonly Collector[];

  constructor(aggregations: Aggregations, index: IndexAggregation, create: CreateCollector) {
    this.#collectors = Object.values(aggregations).map((aggregation) => create(aggregation, index));
    this.isEmpty = this.#collectors.length === 0;
  }

  *enter(context: SegmentContext): Generator<void> {
    for (const collector of this.#collectors) yield* collector.enter(context);
  }

  *leave(): Generator<void> {
    for (const collector of this.#collectors) yield* collector.leave();
  }

  /** Collects rows with the numbers of their buckets; null: all are in bucket 0. */
  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    for (const collector of this.#collectors) collector.collect(rows, buckets, count);
  }

  /** Collects a set of rows, all in bucket 0. */
  *collectSet(rows: RowSet): Generator<void> {
    for (const collector of this.#collectors) yield* collector.collectSet(rows);
  }

  /** Returns the result of each sub-aggregation in a bucket. */
  *results(bucket: number): Generator<void, (Intermediate | undefined)[]> {
    const results: (Intermediate | undefined)[] = [];
    for (const collector of this.#collectors) results.push(yield* collector.result(bucket));
    return results;
  }
}
