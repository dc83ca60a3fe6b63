// `composite`: tuples of keys, one from each source. A row is in every tuple its values can make.
import type { BucketAggregation, CompositeSource } from '../../../query/aggregation.ts';
import { type Collector, type CreateCollector, insideOf, type SegmentPlace } from '../collector.ts';
import type { Key } from '../intermediate.ts';
import { type KeyColumn, KeyNumbers, keyColumn, roundedColumn } from '../key-column.ts';
import { compareKeys } from '../key-order.ts';
import { intervalRounding, numberRounding } from './histograms.ts';
import { KeyedCollector } from './keyed.ts';

type Composite = Extract<BucketAggregation, { readonly kind: 'composite' }>;

/** The keys of a composite bucket; null: no value. */
export type Tuple = readonly (Key | null)[];

export function* compositeCollector(
  aggregation: Composite,
  place: SegmentPlace,
  create: CreateCollector,
): Generator<void, Collector> {
  const { sources, after } = aggregation;
  const columns: KeyColumn[] = [];
  for (const source of sources) columns.push(yield* columnOf(source, place));
  const inside = yield* insideOf(aggregation.aggregations, place, create);
  const wanted = (tuple: Tuple): boolean =>
    after === undefined || compareTuples(tuple, after, sources) > 0;
  return new KeyedCollector(place.index, new TupleKeys(sources, columns, wanted), inside);
}

/** In the orders of the sources; a missing value comes first in ascending order. */
export function compareTuples(a: Tuple, b: Tuple, sources: readonly CompositeSource[]): number {
  for (const [at, { order }] of sources.entries()) {
    const left = a[at] ?? null;
    const right = b[at] ?? null;
    if (left === right) continue;
    const compared = left === null ? -1 : right === null ? 1 : compareKeys(left, right);
    if (compared !== 0) return order === 'asc' ? compared : -compared;
  }
  return 0;
}

function* columnOf(source: CompositeSource, place: SegmentPlace): Generator<void, KeyColumn> {
  switch (source.kind) {
    case 'terms':
      return keyColumn(source.source, place);
    case 'histogram':
      return yield* roundedColumn(source.source, place, numberRounding(source.interval, 0));
    case 'dateHistogram':
      return yield* roundedColumn(source.source, place, intervalRounding(source.intervals));
  }
}

class TupleKeys implements KeyColumn {
  readonly found: number[] = [];
  readonly size = null;
  readonly #sources: readonly CompositeSource[];
  readonly #columns: readonly KeyColumn[];
  readonly #wanted: (tuple: Tuple) => boolean;
  readonly #numbers = new KeyNumbers<string>();
  /** By the ordinals of a tuple: the number of its key, -1 where it is not wanted. */
  readonly #known = new Map<string, number>();

  constructor(
    sources: readonly CompositeSource[],
    columns: readonly KeyColumn[],
    wanted: (tuple: Tuple) => boolean,
  ) {
    this.#sources = sources;
    this.#columns = columns;
    this.#wanted = wanted;
  }

  load(row: number): number {
    for (const [at, column] of this.#columns.entries()) {
      if (column.load(row) === 0 && this.#sources[at]?.missingBucket !== true) return 0;
    }
    return this.#combine(row, 0, [], 0);
  }

  key(ord: number): Key {
    return this.#numbers.keys[ord]!;
  }

  find(key: Key): number {
    return this.#numbers.ord(String(key));
  }

  #combine(row: number, at: number, ords: readonly number[], found: number): number {
    const column = this.#columns[at];
    if (column === undefined) return this.#add(ords, found);
    const count = column.load(row);
    if (count === 0) return this.#combine(row, at + 1, [...ords, -1], found);
    let total = found;
    for (let i = 0; i < count; i++) {
      total = this.#combine(row, at + 1, [...ords, column.found[i]!], total);
    }
    return total;
  }

  #add(ords: readonly number[], found: number): number {
    const text = ords.join(' ');
    let number = this.#known.get(text);
    if (number === undefined) {
      const tuple = ords.map((ord, at) => (ord < 0 ? null : this.#columns[at]!.key(ord)));
      number = this.#wanted(tuple) ? this.#numbers.ord(JSON.stringify(tuple)) : -1;
      this.#known.set(text, number);
    }
    if (number < 0) return found;
    this.found[found] = number;
    return found + 1;
  }
}
