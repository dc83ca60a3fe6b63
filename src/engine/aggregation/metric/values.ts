// Metrics of numbers and of distinct values.
import type { MetricAggregation } from '../../../query/aggregation.ts';
import type { NumberIndex } from '../../index/segment.ts';
import { BucketTable } from '../bucket-table.ts';
import type { Collector, IndexAggregation, SegmentPlace } from '../collector.ts';
import { type Intermediate, newStats, type Stats } from '../intermediate.ts';
import { type KeyColumn, keyColumn, withMissing } from '../key-column.ts';
import { DistinctKeys } from './distinct-keys.ts';
import { TDigest } from './t-digest.ts';

type ValueMetric = Exclude<MetricAggregation, { readonly kind: 'topHits' }>;

export function metricCollector(aggregation: ValueMetric, place: SegmentPlace): Collector {
  const { kind, source, missing } = aggregation;
  if (kind === 'cardinality') {
    return new DistinctCollector(place.index, withMissing(keyColumn(source, place), missing));
  }
  if (kind === 'valueCount' && source.kind !== 'numbers') {
    return new CountCollector(withMissing(keyColumn(source, place), missing));
  }
  const numbers =
    source.kind === 'numbers' ? place.table?.numbers(source.field, source.column) : undefined;
  const absent = typeof missing === 'number' ? missing : null;
  return kind === 'percentiles'
    ? new DigestCollector(numbers, absent)
    : new StatsCollector(numbers, absent);
}

/** Walks the numbers of each row. */
abstract class NumberCollector implements Collector {
  readonly #numbers: NumberIndex | undefined;
  readonly #missing: number | null;

  constructor(numbers: NumberIndex | undefined, missing: number | null) {
    this.#numbers = numbers;
    this.#missing = missing;
  }

  collect(row: number, bucket: number): void {
    const numbers = this.#numbers;
    if (numbers === undefined) {
      if (this.#missing !== null) this.add(this.#missing, bucket);
    } else if (numbers.start === null) {
      const value = numbers.values[row]!;
      if (!Number.isNaN(value)) this.add(value, bucket);
      else if (this.#missing !== null) this.add(this.#missing, bucket);
    } else {
      const from = numbers.start[row]!;
      const to = numbers.start[row + 1]!;
      for (let i = from; i < to; i++) this.add(numbers.values[i]!, bucket);
      if (from === to && this.#missing !== null) this.add(this.#missing, bucket);
    }
  }

  abstract result(bucket: number): Generator<void, Intermediate | undefined>;
  protected abstract add(value: number, bucket: number): void;
}

class StatsCollector extends NumberCollector {
  readonly #stats: Stats[] = [];

  // biome-ignore lint/correctness/useYield: nothing here takes long
  override *result(bucket: number): Generator<void, Intermediate | undefined> {
    const stats = this.#stats[bucket];
    return stats === undefined ? undefined : { kind: 'stats', stats };
  }

  protected override add(value: number, bucket: number): void {
    this.#stats[bucket] ??= newStats();
    const stats = this.#stats[bucket];
    stats.count += 1;
    const corrected = value - stats.lost;
    const sum = stats.sum + corrected;
    stats.lost = sum - stats.sum - corrected;
    stats.sum = sum;
    const square = value * value - stats.squaresLost;
    const squares = stats.sumOfSquares + square;
    stats.squaresLost = squares - stats.sumOfSquares - square;
    stats.sumOfSquares = squares;
    if (value < stats.min) stats.min = value;
    if (value > stats.max) stats.max = value;
  }
}

class DigestCollector extends NumberCollector {
  readonly #digests: TDigest[] = [];

  // biome-ignore lint/correctness/useYield: nothing here takes long
  override *result(bucket: number): Generator<void, Intermediate | undefined> {
    const digest = this.#digests[bucket];
    return digest === undefined ? undefined : { kind: 'digest', digest };
  }

  protected override add(value: number, bucket: number): void {
    this.#digests[bucket] ??= new TDigest();
    this.#digests[bucket].add(value);
  }
}

/** How many values, where these are strings. */
class CountCollector implements Collector {
  readonly #keys: KeyColumn;
  readonly #counts: number[] = [];

  constructor(keys: KeyColumn) {
    this.#keys = keys;
  }

  collect(row: number, bucket: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + this.#keys.load(row);
  }

  // biome-ignore lint/correctness/useYield: nothing here takes long
  *result(bucket: number): Generator<void, Intermediate> {
    return { kind: 'stats', stats: { ...newStats(), count: this.#counts[bucket] ?? 0 } };
  }
}

const STEPS_PER_YIELD = 4096;

/** Exact: the pairs of bucket and key that occur. */
class DistinctCollector implements Collector {
  readonly #index: IndexAggregation;
  readonly #keys: KeyColumn;
  readonly #pairs: BucketTable;

  constructor(index: IndexAggregation, keys: KeyColumn) {
    this.#index = index;
    this.#keys = keys;
    this.#pairs = new BucketTable(keys.size);
  }

  collect(row: number, bucket: number): void {
    const count = this.#keys.load(row);
    for (let i = 0; i < count; i++) {
      const known = this.#pairs.size;
      if (this.#pairs.find(bucket, this.#keys.found[i]!) === known) this.#index.request.addBucket();
    }
  }

  *result(bucket: number): Generator<void, Intermediate> {
    const pairs = this.#pairs.of(bucket);
    // In the order of the dictionary, so that its bytes are read from front to back.
    const ords = Int32Array.from(pairs, (pair) => this.#pairs.keyOf(pair)).sort();
    const keys = new DistinctKeys(ords.length);
    const { terms = null } = this.#keys;
    let steps = 0;
    for (const ord of ords) {
      if (terms === null || ord >= terms.size) keys.add(this.#keys.key(ord));
      else keys.addString(terms.bytes, terms.offsets[ord]!, terms.offsets[ord + 1]!);
      steps += 1;
      if (steps % STEPS_PER_YIELD === 0) yield;
    }
    return { kind: 'distinct', keys };
  }
}
