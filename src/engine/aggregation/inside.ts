// The aggregations inside those with buckets, and the rows on their way to them: rows are gathered with the numbers of
// their buckets until a block is full.
// Invariant: what was added has reached them after `flush`.
import type { Aggregations } from '../../query/aggregation.ts';
import type { Collector, CreateCollector, IndexAggregation, SegmentPlace } from './collector.ts';
import type { Intermediate } from './intermediate.ts';
import { BLOCK_ROWS, type RowSet } from './rows.ts';

const NO_ROWS = new Int32Array(0);

export class Inside {
  readonly isEmpty: boolean;
  readonly #collectors: readonly Collector[];
  readonly #rows: Int32Array;
  readonly #buckets: Int32Array;
  #count = 0;

  constructor(aggregations: Aggregations, index: IndexAggregation, create: CreateCollector) {
    this.#collectors = Object.values(aggregations).map((one) => create(one, index));
    this.isEmpty = this.#collectors.length === 0;
    this.#rows = this.isEmpty ? NO_ROWS : new Int32Array(BLOCK_ROWS);
    this.#buckets = this.isEmpty ? NO_ROWS : new Int32Array(BLOCK_ROWS);
  }

  *enter(place: SegmentPlace): Generator<void> {
    for (const collector of this.#collectors) yield* collector.enter(place);
  }

  *leave(): Generator<void> {
    for (const collector of this.#collectors) yield* collector.leave();
  }

  /** Not to be called where nothing is inside. */
  add(row: number, bucket: number): void {
    const at = this.#count;
    this.#rows[at] = row;
    this.#buckets[at] = bucket;
    this.#count = at + 1;
    if (this.#count === BLOCK_ROWS) this.flush();
  }

  flush(): void {
    if (this.#count === 0) return;
    this.collect(this.#rows, this.#buckets, this.#count);
    this.#count = 0;
  }

  /** A block as it came, all in one bucket or in the buckets they were in. */
  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    for (const collector of this.#collectors) collector.collect(rows, buckets, count);
  }

  /** A set of rows, all in bucket 0. */
  *collectSet(rows: RowSet): Generator<void> {
    for (const collector of this.#collectors) yield* collector.collectSet(rows);
  }

  /** What they came to in a bucket. */
  *results(bucket: number): Generator<void, (Intermediate | undefined)[]> {
    const results: (Intermediate | undefined)[] = [];
    for (const collector of this.#collectors) results.push(yield* collector.result(bucket));
    return results;
  }
}
