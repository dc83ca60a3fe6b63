// What metrics have in common: nothing is inside, so there is nothing to hand on.
import { type Collector, collectInBlocks, type SegmentPlace } from '../collector.ts';
import type { Intermediate } from '../intermediate.ts';
import type { RowSet } from '../rows.ts';

export abstract class MetricCollector implements Collector {
  #place: SegmentPlace | null = null;

  *enter(place: SegmentPlace): Generator<void> {
    this.#place = place;
    yield* this.bind(place);
  }

  abstract collect(rows: Int32Array, buckets: Int32Array | null, count: number): void;

  *collectSet(rows: RowSet): Generator<void> {
    if (this.#place !== null) yield* collectInBlocks(this, rows, this.#place);
  }

  *leave(): Generator<void> {}

  abstract result(bucket: number): Generator<void, Intermediate | undefined>;
  protected abstract bind(place: SegmentPlace): Generator<void>;
}
