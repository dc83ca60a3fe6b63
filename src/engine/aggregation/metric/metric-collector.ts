// The common part of metrics, which have no sub-aggregations.
import { type Collector, collectInBlocks, type SegmentContext } from '../collecting/collector.ts';
import type { Intermediate } from '../collecting/intermediate.ts';
import type { CountedSet } from '../collecting/rows.ts';

export abstract class MetricCollector implements Collector {
  #context: SegmentContext | null = null;

  *enter(context: SegmentContext): Generator<void> {
    this.#context = context;
    yield* this.bind(context);
  }

  abstract collect(rows: Int32Array, buckets: Int32Array | null, count: number): void;

  *collectSet({ rows }: CountedSet): Generator<void> {
    if (this.#context !== null) yield* collectInBlocks(this, rows, this.#context);
  }

  *leave(): Generator<void> {}

  abstract result(bucket: number): Generator<void, Intermediate | undefined>;
  protected abstract bind(context: SegmentContext): Generator<void>;
}
