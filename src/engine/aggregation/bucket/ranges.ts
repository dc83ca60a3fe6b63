// `range`, `date_range` and `filters`: a fixed number of buckets, which may overlap.
import type { BucketAggregation, RangeBounds } from '../../../query/aggregation.ts';
import type { NumberIndex } from '../../index/segment.ts';
import {
  type Collector,
  type CreateCollector,
  insideOf,
  type RowSet,
  type SegmentPlace,
} from '../collector.ts';
import type { Key } from '../intermediate.ts';
import type { KeyColumn } from '../key-column.ts';
import { KeyedCollector } from './keyed.ts';

type Range = Extract<BucketAggregation, { readonly kind: 'range' }>;
type Filters = Extract<BucketAggregation, { readonly kind: 'filters' }>;

export function* rangeCollector(
  aggregation: Range,
  place: SegmentPlace,
  create: CreateCollector,
): Generator<void, Collector> {
  const { source, missing, ranges } = aggregation;
  const numbers =
    source.kind === 'numbers' ? place.table?.numbers(source.field, source.column) : undefined;
  const keys = new RangeKeys(ranges, numbers, typeof missing === 'number' ? missing : null);
  return new KeyedCollector(
    place.index,
    keys,
    yield* insideOf(aggregation.aggregations, place, create),
  );
}

export function* filtersCollector(
  aggregation: Filters,
  place: SegmentPlace,
  create: CreateCollector,
): Generator<void, Collector> {
  const sets: RowSet[] = [];
  for (const { query } of aggregation.filters) sets.push(yield* place.index.matches(query, place));
  const keys = new FilterKeys(sets, aggregation.other !== null);
  return new KeyedCollector(
    place.index,
    keys,
    yield* insideOf(aggregation.aggregations, place, create),
  );
}

/** The numbers of the ranges a row has a value in. */
class RangeKeys implements KeyColumn {
  readonly found: number[] = [];
  readonly size: number;
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  readonly #numbers: NumberIndex | undefined;
  readonly #missing: number | null;

  constructor(
    ranges: readonly RangeBounds[],
    numbers: NumberIndex | undefined,
    missing: number | null,
  ) {
    this.size = ranges.length;
    this.#from = Float64Array.from(ranges, ({ from }) => from ?? Number.NEGATIVE_INFINITY);
    this.#to = Float64Array.from(ranges, ({ to }) => to ?? Number.POSITIVE_INFINITY);
    this.#numbers = numbers;
    this.#missing = missing;
  }

  load(row: number): number {
    const numbers = this.#numbers;
    let from = row;
    let to = row + 1;
    if (numbers !== undefined && numbers.start !== null) {
      from = numbers.start[row]!;
      to = numbers.start[row + 1]!;
    }
    const none =
      numbers === undefined ||
      from === to ||
      (to === from + 1 && Number.isNaN(numbers.values[from]!));
    if (none && this.#missing === null) return 0;
    let count = 0;
    for (let range = 0; range < this.size; range++) {
      const meets = none
        ? this.#holds(range, this.#missing ?? 0)
        : this.#holdsAny(range, numbers!.values, from, to);
      if (!meets) continue;
      this.found[count] = range;
      count += 1;
    }
    return count;
  }

  key(ord: number): Key {
    return ord;
  }

  find(key: Key): number {
    return Number(key);
  }

  #holdsAny(range: number, values: Float64Array, from: number, to: number): boolean {
    for (let i = from; i < to; i++) if (this.#holds(range, values[i]!)) return true;
    return false;
  }

  #holds(range: number, value: number): boolean {
    return value >= this.#from[range]! && value < this.#to[range]!;
  }
}

/** The numbers of the filters a row meets; one more for rows that meet none. */
class FilterKeys implements KeyColumn {
  readonly found: number[] = [];
  readonly size: number;
  readonly #sets: readonly RowSet[];
  readonly #other: boolean;

  constructor(sets: readonly RowSet[], other: boolean) {
    this.#sets = sets;
    this.#other = other;
    this.size = sets.length + 1;
  }

  load(row: number): number {
    let count = 0;
    for (let at = 0; at < this.#sets.length; at++) {
      if (!this.#sets[at]!.has(row)) continue;
      this.found[count] = at;
      count += 1;
    }
    if (count > 0 || !this.#other) return count;
    this.found[0] = this.#sets.length;
    return 1;
  }

  key(ord: number): Key {
    return ord;
  }

  find(key: Key): number {
    return Number(key);
  }
}
