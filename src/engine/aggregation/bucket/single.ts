// Aggregations with one bucket: a query, rows without a value, and the ways between documents and their elements.
import type { BucketAggregation } from '../../../query/aggregation.ts';
import {
  type Collector,
  type CreateCollector,
  type IndexAggregation,
  insideOf,
  type RowSet,
  resultsOf,
  type SegmentPlace,
} from '../collector.ts';
import type { Intermediate } from '../intermediate.ts';
import { type KeyColumn, keyColumn } from '../key-column.ts';

type Single = Extract<
  BucketAggregation,
  { readonly kind: 'filter' | 'nested' | 'reverseNested' | 'missing' | 'global' }
>;

export function* singleCollector(
  aggregation: Single,
  place: SegmentPlace,
  create: CreateCollector,
): Generator<void, Collector> {
  const { index, view } = place;
  switch (aggregation.kind) {
    case 'filter': {
      const rows = yield* index.matches(aggregation.query, place);
      return new FilterCollector(rows, yield* insideOf(aggregation.aggregations, place, create));
    }
    case 'missing': {
      const keys = keyColumn(aggregation.source, place);
      return new MissingCollector(keys, yield* insideOf(aggregation.aggregations, place, create));
    }
    case 'global':
      return new SingleCollector(yield* insideOf(aggregation.aggregations, place, create));
    case 'nested': {
      const path = place.path === null ? aggregation.path : null;
      const below = path === null ? { ...place, table: undefined } : index.place(view, path);
      const inside = yield* insideOf(aggregation.aggregations, below, create);
      return new NestedCollector(index, below.table?.firstRow ?? null, inside);
    }
    case 'reverseNested': {
      const inside = yield* insideOf(aggregation.aggregations, index.place(view, null), create);
      return new ReverseNestedCollector(place.table?.parent ?? null, inside);
    }
  }
}

/** Counts rows by the parent's bucket and hands them on. */
class SingleCollector implements Collector {
  protected counts = new Int32Array(8);
  protected readonly inside: readonly Collector[];

  constructor(inside: readonly Collector[]) {
    this.inside = inside;
  }

  collect(row: number, bucket: number): void {
    this.take(row, bucket);
  }

  *result(bucket: number): Generator<void, Intermediate> {
    const docCount = this.counts[bucket] ?? 0;
    const inside = yield* resultsOf(this.inside, bucket);
    return { kind: 'bucket', bucket: { docCount, inside } };
  }

  protected take(row: number, bucket: number): void {
    if (bucket >= this.counts.length) this.counts = grown(this.counts, bucket);
    this.counts[bucket]! += 1;
    for (let at = 0; at < this.inside.length; at++) this.inside[at]!.collect(row, bucket);
  }
}

class FilterCollector extends SingleCollector {
  readonly #rows: RowSet;

  constructor(rows: RowSet, inside: readonly Collector[]) {
    super(inside);
    this.#rows = rows;
  }

  override collect(row: number, bucket: number): void {
    if (this.#rows.has(row)) this.take(row, bucket);
  }
}

class MissingCollector extends SingleCollector {
  readonly #keys: KeyColumn;

  constructor(keys: KeyColumn, inside: readonly Collector[]) {
    super(inside);
    this.#keys = keys;
  }

  override collect(row: number, bucket: number): void {
    if (this.#keys.load(row) === 0) this.take(row, bucket);
  }
}

/** From a document to its elements. */
class NestedCollector extends SingleCollector {
  readonly #index: IndexAggregation;
  readonly #firstRow: Int32Array | null;

  constructor(index: IndexAggregation, firstRow: Int32Array | null, inside: readonly Collector[]) {
    super(inside);
    this.#index = index;
    this.#firstRow = firstRow;
  }

  override collect(row: number, bucket: number): void {
    if (this.#firstRow === null) return;
    const end = this.#firstRow[row + 1]!;
    for (let below = this.#firstRow[row]!; below < end; below++) this.take(below, bucket);
    this.#index.steps += (end - this.#firstRow[row]!) * (1 + this.inside.length);
  }
}

/** From an element to its document, which counts once in a bucket: its elements come one after the other. */
class ReverseNestedCollector extends SingleCollector {
  readonly #parent: Int32Array | null;
  #last = new Int32Array(8);

  constructor(parent: Int32Array | null, inside: readonly Collector[]) {
    super(inside);
    this.#parent = parent;
  }

  override collect(row: number, bucket: number): void {
    if (this.#parent === null) return;
    if (bucket >= this.#last.length) this.#last = grown(this.#last, bucket);
    const document = this.#parent[row]!;
    // One more than the row, so that 0 means none.
    if (this.#last[bucket] === document + 1) return;
    this.#last[bucket] = document + 1;
    this.take(document, bucket);
  }
}

function grown(array: Int32Array, index: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(array.length * 2, index + 1));
  larger.set(array);
  return larger;
}
