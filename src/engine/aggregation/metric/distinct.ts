// `cardinality`: how many distinct keys, exactly. Those of bucket 0, which at the top is the only one, are marked in a bit
// set; elsewhere the pairs of bucket and key that occur are numbered.
import { BucketTable } from '../bucket-table.ts';
import type { IndexAggregation, SegmentPlace } from '../collector.ts';
import type { IndexKeys } from '../index-keys.ts';
import type { Intermediate } from '../intermediate.ts';
import { NumberSet } from '../number-set.ts';
import type { RowSet } from '../rows.ts';
import { DistinctKeys } from './distinct-keys.ts';
import { MetricCollector } from './metric-collector.ts';

const STEPS_PER_YIELD = 4096;

export class DistinctCollector extends MetricCollector {
  readonly #index: IndexAggregation;
  readonly #keys: IndexKeys;
  readonly #pairs = new BucketTable();
  /** The keys of bucket 0. */
  readonly #first = new NumberSet();
  #expectedRows = 0;

  constructor(index: IndexAggregation, keys: IndexKeys) {
    super();
    this.#index = index;
    this.#keys = keys;
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const { column, numbers, absent, size } = this.#keys;
    if (buckets !== null && size !== null) this.#pairs.reserve(size, this.#expectedRows);
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      const bucket = buckets === null ? 0 : buckets[i]!;
      if (column.kind === 'loaded') {
        const found = column.load(row);
        for (let at = 0; at < found; at++) this.#put(bucket, column.found[at]!);
        if (found === 0) this.#put(bucket, absent);
        continue;
      }
      const { ords, start } = column;
      const from = start === null ? row : start[row]!;
      const to = start === null ? row + 1 : start[row + 1]!;
      if (from === to) this.#put(bucket, absent);
      for (let at = from; at < to; at++) {
        const ord = ords[at]!;
        if (ord < 0) this.#put(bucket, absent);
        else this.#put(bucket, this.#number(numbers, ord));
      }
    }
  }

  override *collectSet(rows: RowSet): Generator<void> {
    const { column, numbers, absent } = this.#keys;
    if (rows !== null || column.kind === 'loaded' || absent >= 0) {
      yield* super.collectSet(rows);
      return;
    }
    // Each key of the segment is in some row.
    for (let ord = 0; ord < column.size; ord++) {
      this.#put(0, this.#number(numbers, ord));
      if (ord % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    }
  }

  override *result(bucket: number): Generator<void, Intermediate> {
    const pairs = this.#pairs.of(bucket);
    const count = bucket === 0 ? this.#first.size : pairs.length;
    if (this.#index.request.indices === 1) return { kind: 'count', count };
    const keys = new DistinctKeys(count);
    let steps = 0;
    for (const number of bucket === 0 ? this.#first : this.#keysOf(pairs)) {
      this.#keys.addTo(keys, number);
      steps += 1;
      if (steps % STEPS_PER_YIELD === 0) yield;
    }
    return { kind: 'distinct', keys };
  }

  protected override *bind(place: SegmentPlace): Generator<void> {
    yield* this.#keys.enter(place);
    this.#expectedRows = this.#index.expectedRows(place.path);
  }

  #number(numbers: Int32Array | null, ord: number): number {
    const number = numbers === null ? ord : numbers[ord]!;
    return number === -1 ? this.#keys.resolve(ord) : number;
  }

  *#keysOf(pairs: Int32Array): Generator<number> {
    for (const pair of pairs) yield this.#pairs.keyOf(pair);
  }

  #put(bucket: number, key: number): void {
    if (key < 0) return;
    if (bucket === 0) {
      this.#first.add(key);
      return;
    }
    const known = this.#pairs.size;
    if (this.#pairs.find(bucket, key) === known) this.#index.request.addBucket();
  }
}
