// `cardinality`: the exact number of distinct keys. Bucket 0, the only one at the top level, uses a
// bit set of keys; for other buckets the pairs of bucket and key are numbered.
import { BucketTable } from '../collecting/bucket-table.ts';
import type { IndexAggregation, SegmentContext } from '../collecting/collector.ts';
import { DistinctKeys } from '../collecting/distinct-keys.ts';
import type { Intermediate } from '../collecting/intermediate.ts';
import type { CountedSet } from '../collecting/rows.ts';
import type { IndexKeys } from '../keys/index-keys.ts';
import { type LoadedKeys, NO_KEYS } from '../keys/key-column.ts';
import { countKeys } from '../keys/key-counts.ts';
import { loadedKeys, numberOf } from '../keys/loaded-keys.ts';
import { NumberSet } from '../keys/number-set.ts';
import { MetricCollector } from './metric-collector.ts';

const STEPS_PER_YIELD = 4096;

export class DistinctCollector extends MetricCollector {
  readonly #index: IndexAggregation;
  readonly #keys: IndexKeys;
  readonly #pairs = new BucketTable();
  /** The keys of bucket 0. */
  readonly #firstBucketKeys = new NumberSet();
  #loaded: LoadedKeys = NO_KEYS;
  #rowCount = 0;

  constructor(index: IndexAggregation, keys: IndexKeys) {
    super();
    this.#index = index;
    this.#keys = keys;
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const { column } = this.#keys;
    const sizeBefore = this.#pairs.size;
    if (column.kind === 'ordinals' && column.start === null) {
      this.#collectSingle(column.ords, rows, buckets, count);
    } else {
      this.#collectLoaded(this.#loaded, rows, buckets, count);
    }
    this.#index.request.addBuckets(this.#pairs.size - sizeBefore);
  }

  override *collectSet(set: CountedSet): Generator<void> {
    const { rows, count: setSize } = set;
    const keys = this.#keys;
    const { column, absent } = keys;
    const rowCount = this.#rowCount;
    if (column.kind === 'loaded' || column.size > setSize * 2) {
      yield* super.collectSet(set);
      return;
    }
    // path: set of rows
    // Each key of the segment occurs in some row, so keys need counting only for part of the rows.
    const needsCounts = rows !== null || absent >= 0;
    const empty = absent >= 0 ? 'counted' : 'ignored';
    const counts = needsCounts
      ? yield* countKeys(column, { rows, rowCount, setSize, empty })
      : null;
    for (let ord = 0; ord <= column.size; ord++) {
      if (ord % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
      if (counts?.[ord] === 0) continue;
      const key = ord < column.size ? numberOf(keys, ord) : absent;
      if (key >= 0) this.#firstBucketKeys.add(key);
    }
  }

  override *result(bucket: number): Generator<void, Intermediate> {
    const pairs = this.#pairs.of(bucket);
    const count = bucket === 0 ? this.#firstBucketKeys.size : pairs.length;
    if (this.#index.request.indices === 1) return { kind: 'count', count };
    const keys = new DistinctKeys(count);
    let steps = 0;
    for (const number of bucket === 0 ? this.#firstBucketKeys : this.#keysOf(pairs)) {
      // path: several indexes
      this.#keys.addTo(keys, number);
      steps += 1;
      if (steps % STEPS_PER_YIELD === 0) yield;
    }
    return { kind: 'distinct', keys };
  }

  protected override *bind(context: SegmentContext): Generator<void> {
    yield* this.#keys.enter(context);
    this.#loaded = loadedKeys(this.#keys);
    this.#rowCount = context.table?.rowCount ?? 0;
  }

  #collectSingle(
    ords: Int32Array,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const keys = this.#keys;
    const { absent } = keys;
    for (let i = 0; i < count; i++) {
      // path: one value
      const ord = ords[rows[i]!]!;
      const key = ord < 0 ? absent : numberOf(keys, ord);
      if (key >= 0) this.#add(buckets === null ? 0 : buckets[i]!, key);
    }
  }

  #collectLoaded(
    column: LoadedKeys,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const { absent } = this.#keys;
    const { rowKeys } = column;
    for (let i = 0; i < count; i++) {
      // path: keys loaded
      const bucket = buckets === null ? 0 : buckets[i]!;
      const keys = column.load(rows[i]!);
      if (keys === 0 && absent >= 0) this.#add(bucket, absent);
      for (let at = 0; at < keys; at++) if (rowKeys[at]! >= 0) this.#add(bucket, rowKeys[at]!);
    }
  }

  *#keysOf(pairs: Int32Array): Generator<number> {
    for (const pair of pairs) yield this.#pairs.keyOf(pair);
  }

  #add(bucket: number, key: number): void {
    if (bucket === 0) this.#firstBucketKeys.add(key);
    else this.#pairs.find(bucket, key);
  }
}
