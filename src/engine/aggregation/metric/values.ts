// Metrics of numbers and of the number of values.

import {
  type MetricAggregation,
  nestedPathOf,
  type ValueSource,
} from '../../../query/aggregation.ts';
import { oneStep } from '../../../query/steps.ts';
import type { NumberIndex } from '../../sections/segment.ts';
import type {
  Collector,
  IndexAggregation,
  RequestAggregation,
  SegmentContext,
} from '../collecting/collector.ts';
import { addTo, newSum } from '../collecting/exact-sum.ts';
import { type Intermediate, newStats, type Stats } from '../collecting/intermediate.ts';
import { TDigest } from '../collecting/t-digest.ts';
import { keysOf } from '../keys/keys-of.ts';
import {
  type NumberCells,
  numberCells,
  type ValueCounter,
  valueCounter,
} from '../keys/value-counts.ts';
import { DistinctCollector } from './distinct.ts';
import { MetricCollector } from './metric-collector.ts';

type ValueMetric = Exclude<MetricAggregation, { readonly kind: 'topHits' }>;

export function metricCollector(aggregation: ValueMetric, index: IndexAggregation): Collector {
  const { kind, source, missing } = aggregation;
  if (kind === 'cardinality') {
    return new DistinctCollector(index, keysOf(source, index, { missing }));
  }
  if (kind === 'valueCount' && source.kind !== 'numbers') {
    return new CountCollector(source, missing === undefined ? 0 : 1);
  }
  const absent = typeof missing === 'number' ? missing : null;
  return kind === 'percentiles'
    ? new DigestCollector(source, absent, index)
    : new StatsCollector(aggregation, absent);
}

/** Adds each number of the collected rows. */
abstract class NumberCollector extends MetricCollector {
  readonly #source: ValueSource;
  readonly #missing: number | null;
  /**
   * The numbers of the rows themselves; undefined if there are none, or if the source is flattened.
   */
  #numbers: NumberIndex | undefined;
  /** The numbers of all elements of a document, if the source is flattened. */
  #flattened: NumberCells | null = null;
  #index: IndexAggregation | null = null;

  constructor(source: ValueSource, missing: number | null) {
    super();
    this.#source = source;
    this.#missing = missing;
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const numbers = this.#numbers;
    if (this.#flattened !== null) this.#collectFlattened(this.#flattened, rows, buckets, count);
    else if (numbers === undefined) this.#collectMissing(buckets, count);
    else if (numbers.start === null) this.#collectSingle(numbers.values, rows, buckets, count);
    else this.#collectMany(numbers.values, numbers.start, rows, buckets, count);
  }

  protected override bind(context: SegmentContext): Generator<void> {
    return oneStep(() => {
      const source = this.#source;
      const own = source.kind === 'numbers' && nestedPathOf(source) === null;
      this.#index = context.index;
      this.#numbers = own ? context.table?.numbers(source.field, source.column) : undefined;
      this.#flattened = own ? null : numberCells(source, context);
    });
  }

  protected abstract add(value: number, bucket: number): void;

  #collectMissing(buckets: Int32Array | null, count: number): void {
    const missing = this.#missing;
    if (missing === null) return;
    for (let i = 0; i < count; i++) this.add(missing, buckets === null ? 0 : buckets[i]!);
  }

  #collectSingle(
    values: Float64Array,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const missing = this.#missing;
    for (let i = 0; i < count; i++) {
      // path: one number
      const value = values[rows[i]!]!;
      const bucket = buckets === null ? 0 : buckets[i]!;
      if (!Number.isNaN(value)) this.add(value, bucket);
      else if (missing !== null) /* path: missing value */ this.add(missing, bucket);
    }
  }

  #collectMany(
    values: Float64Array,
    start: Uint32Array,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const missing = this.#missing;
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      const bucket = buckets === null ? 0 : buckets[i]!;
      const from = start[row]!;
      const to = start[row + 1]!;
      for (let at = from; at < to; at++) /* path: several numbers */ this.add(values[at]!, bucket);
      if (from === to && missing !== null) this.add(missing, bucket);
    }
  }

  #collectFlattened(
    cells: NumberCells,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const { values } = cells;
    const missing = this.#missing;
    let steps = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      const bucket = buckets === null ? 0 : buckets[i]!;
      const from = cells.first(row);
      const to = cells.end(row);
      let added = 0;
      for (let at = from; at < to; at++) {
        const value = values[at]!;
        if (Number.isNaN(value)) continue;
        this.add(value, bucket);
        added += 1;
      }
      if (added === 0 && missing !== null) this.add(missing, bucket);
      steps += to - from;
    }
    this.#index?.addSteps(steps);
  }
}

class StatsCollector extends NumberCollector {
  readonly #stats: Stats[] = [];
  readonly #needsSum: boolean;
  readonly #needsSquares: boolean;

  constructor({ kind, source }: ValueMetric, missing: number | null) {
    super(source, missing);
    this.#needsSum = SUMS.has(kind);
    this.#needsSquares = kind === 'extendedStats';
  }

  override result(bucket: number): Generator<void, Intermediate | undefined> {
    const stats = this.#stats[bucket];
    return oneStep(() => (stats === undefined ? undefined : { kind: 'stats', stats }));
  }

  protected override add(value: number, bucket: number): void {
    this.#stats[bucket] ??= newStats();
    const stats = this.#stats[bucket];
    stats.count += 1;
    if (value < stats.min) stats.min = value;
    if (value > stats.max) stats.max = value;
    if (!this.#needsSum) return;
    addTo(stats.sum, value);
    if (!this.#needsSquares) return;
    stats.squares ??= newSum();
    addTo(stats.squares, value * value);
  }
}

/** The kinds that need the sum of the values. */
const SUMS: ReadonlySet<ValueMetric['kind']> = new Set(['avg', 'sum', 'stats', 'extendedStats']);

class DigestCollector extends NumberCollector {
  readonly #digests: TDigest[] = [];
  /** Through a view a percentile must not depend on the order of the values, so it is exact. */
  readonly #isExact: boolean;
  readonly #request: RequestAggregation;

  constructor(source: ValueSource, missing: number | null, { views, request }: IndexAggregation) {
    super(source, missing);
    this.#isExact = views.some(({ isConfined }) => isConfined === true);
    this.#request = request;
  }

  override result(bucket: number): Generator<void, Intermediate | undefined> {
    const digest = this.#digests[bucket];
    return oneStep(() => (digest === undefined ? undefined : { kind: 'digest', digest }));
  }

  protected override add(value: number, bucket: number): void {
    if (this.#isExact) this.#request.addExactValue();
    this.#digests[bucket] ??= new TDigest(this.#isExact ? Number.POSITIVE_INFINITY : undefined);
    // path: percentiles
    this.#digests[bucket].add(value);
  }
}

/** Counts values of other types. */
class CountCollector extends MetricCollector {
  readonly #source: ValueSource;
  readonly #absent: number;
  readonly #counts: number[] = [];
  #valuesOf: ValueCounter = () => 0;

  /** @param absent the count for rows without a value */
  constructor(source: ValueSource, absent: number) {
    super();
    this.#source = source;
    this.#absent = absent;
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    for (let i = 0; i < count; i++) {
      // path: values counted
      const bucket = buckets === null ? 0 : buckets[i]!;
      const values = this.#valuesOf(rows[i]!) || this.#absent;
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + values;
    }
  }

  override result(bucket: number): Generator<void, Intermediate> {
    const count = this.#counts[bucket] ?? 0;
    return oneStep(() => ({ kind: 'stats', stats: { ...newStats(), count } }));
  }

  protected override bind(context: SegmentContext): Generator<void> {
    return oneStep(() => {
      this.#valuesOf = valueCounter(this.#source, context);
    });
  }
}
