// `range`, `date_range` and `filters`: a fixed number of buckets, which may overlap.

import type { BucketAggregation, RangeBounds } from '../../../query/aggregation.ts';
import { oneStep } from '../../../query/steps.ts';
import type {
  Collector,
  CreateCollector,
  IndexAggregation,
  SegmentContext,
} from '../collecting/collector.ts';
import { hasRow, type RowSet } from '../collecting/rows.ts';
import { SubAggregations } from '../collecting/sub-aggregations.ts';
import { FixedKeys, type IndexKeys } from '../keys/index-keys.ts';
import type { LoadedKeys } from '../keys/key-column.ts';
import { roundedKeys } from '../keys/keys-of.ts';
import type { Rounding } from '../keys/rounded-ordinals.ts';
import { countNumbers, type NumberCells, numberCells } from '../keys/value-counts.ts';
import { KeyedCollector } from './keyed.ts';

type Range = Extract<BucketAggregation, { readonly kind: 'range' }>;
type Filters = Extract<BucketAggregation, { readonly kind: 'filters' }>;

export function rangeCollector(
  aggregation: Range,
  index: IndexAggregation,
  create: CreateCollector,
): Collector {
  const subAggregations = new SubAggregations(aggregation.aggregations, index, create);
  return new KeyedCollector(index, rangeKeys(aggregation), subAggregations);
}

function rangeKeys({ source, missing, ranges }: Range): IndexKeys {
  const absent = typeof missing === 'number' ? missing : null;
  if (areDisjoint(ranges)) {
    const rounding = rangeRounding(ranges);
    return roundedKeys(source, rounding, {
      missing: absent === null ? undefined : rounding.round(absent),
      filter: (key) => Number(key) >= 0,
    });
  }
  const columnOf = (context: SegmentContext): Generator<void, LoadedKeys> =>
    oneStep(() => new RangeKeys(ranges, numberCells(source, context), absent));
  return new FixedKeys([...ranges.keys()], columnOf);
}

/** True if each range ends before the next one begins, and none is empty. */
function areDisjoint(ranges: readonly RangeBounds[]): boolean {
  let end = Number.NEGATIVE_INFINITY;
  return ranges.every(({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }) => {
    const disjoint = from >= end && from < to;
    end = to;
    return disjoint;
  });
}

/** Rounds a number to its range; each gap between ranges has its own negative number. */
function rangeRounding(ranges: readonly RangeBounds[]): Rounding {
  const edges = ranges.map(({ from, to }) => [from ?? null, to ?? null]);
  return {
    key: `ranges ${JSON.stringify(edges)}`,
    round: (value) => {
      for (const [at, { from, to }] of ranges.entries()) {
        if (to !== undefined && value >= to) continue;
        return from !== undefined && value < from ? -1 - at : at;
      }
      return -1 - ranges.length;
    },
  };
}

export function filtersCollector(
  aggregation: Filters,
  index: IndexAggregation,
  create: CreateCollector,
): Collector {
  const { filters, other } = aggregation;
  const columnOf = (context: SegmentContext) => filterKeys(aggregation, index, context);
  const numbers = [...filters.keys(), filters.length];
  const keys = new FixedKeys(numbers, columnOf, other === null ? undefined : filters.length);
  return new KeyedCollector(
    index,
    keys,
    new SubAggregations(aggregation.aggregations, index, create),
  );
}

function* filterKeys(
  { filters }: Filters,
  index: IndexAggregation,
  context: SegmentContext,
): Generator<void, LoadedKeys> {
  const sets: RowSet[] = [];
  for (const { query } of filters) sets.push(yield* index.matches(query, context));
  return new FilterKeys(sets);
}

/** The numbers of the ranges that contain a value of the row. */
class RangeKeys implements LoadedKeys {
  readonly kind = 'loaded';
  readonly rowKeys: number[] = [];
  readonly #size: number;
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  readonly #numbers: NumberCells | null;
  readonly #missing: number | null;

  constructor(ranges: readonly RangeBounds[], numbers: NumberCells | null, missing: number | null) {
    this.#size = ranges.length;
    this.#from = Float64Array.from(ranges, ({ from }) => from ?? Number.NEGATIVE_INFINITY);
    this.#to = Float64Array.from(ranges, ({ to }) => to ?? Number.POSITIVE_INFINITY);
    this.#numbers = numbers;
    this.#missing = missing;
  }

  load(row: number): number {
    const numbers = this.#numbers;
    const from = numbers === null ? row : numbers.first(row);
    const to = numbers === null ? row : numbers.end(row);
    const hasNoValue = numbers === null || countNumbers(numbers.values, from, to) === 0;
    if (hasNoValue && this.#missing === null) return 0;
    let count = 0;
    for (let range = 0; range < this.#size; range++) {
      const matches = hasNoValue
        ? this.#contains(range, this.#missing ?? 0)
        : this.#containsAny(range, numbers!.values, from, to);
      if (!matches) continue;
      this.rowKeys[count] = range;
      count += 1;
    }
    return count;
  }

  #containsAny(range: number, values: Float64Array, from: number, to: number): boolean {
    for (let i = from; i < to; i++) if (this.#contains(range, values[i]!)) return true;
    return false;
  }

  #contains(range: number, value: number): boolean {
    // path: a range
    return value >= this.#from[range]! && value < this.#to[range]!;
  }
}

/** The numbers of the filters that a row matches. */
class FilterKeys implements LoadedKeys {
  readonly kind = 'loaded';
  readonly rowKeys: number[] = [];
  readonly sets: readonly RowSet[];

  constructor(sets: readonly RowSet[]) {
    this.sets = sets;
  }

  load(row: number): number {
    let count = 0;
    for (let at = 0; at < this.sets.length; at++) {
      // path: a filter
      if (!hasRow(this.sets[at]!, row)) continue;
      this.rowKeys[count] = at;
      count += 1;
    }
    return count;
  }
}
