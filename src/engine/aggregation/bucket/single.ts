// Aggregations with one bucket: a query, rows without a value, and the ways between documents and their elements.
import type { BucketAggregation, ValueSource } from '../../../query/aggregation/aggregation.ts';
import type { Query } from '../../../query/query.ts';
import {
  type Collector,
  type CreateCollector,
  collectInBlocks,
  type IndexAggregation,
  type SegmentPlace,
} from '../collector.ts';
import { Inside } from '../inside.ts';
import type { Intermediate } from '../intermediate.ts';
import { type ValueCounter, valueCounter } from '../keys/value-counts.ts';
import {
  BLOCK_ROWS,
  commonRows,
  countRows,
  elementsOf,
  hasRow,
  RowBlock,
  type RowSet,
} from '../rows.ts';

type Single = Extract<
  BucketAggregation,
  { readonly kind: 'filter' | 'nested' | 'reverseNested' | 'missing' | 'global' }
>;

export function singleCollector(
  aggregation: Single,
  index: IndexAggregation,
  create: CreateCollector,
): Collector {
  const inside = new Inside(aggregation.aggregations, index, create);
  switch (aggregation.kind) {
    case 'filter':
      return new FilterCollector(aggregation.query, inside);
    case 'missing':
      return new MissingCollector(aggregation.source, inside);
    case 'global':
      return new SingleCollector(inside);
    case 'nested':
      return new NestedCollector(aggregation.path, inside);
    case 'reverseNested':
      return new ReverseNestedCollector(inside);
  }
}

/** Counts rows by the parent's bucket and hands them on. */
class SingleCollector implements Collector {
  protected readonly inside: Inside;
  #counts = new Int32Array(8);
  #place: SegmentPlace | null = null;

  constructor(inside: Inside) {
    this.inside = inside;
  }

  *enter(place: SegmentPlace): Generator<void> {
    this.#place = place;
    yield* this.inside.enter(place);
  }

  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    if (buckets === null) this.#counts[0]! += count;
    else this.#count(buckets, count);
    this.inside.collect(rows, buckets, count);
  }

  *collectSet(rows: RowSet): Generator<void> {
    yield* collectInBlocks(this, rows, this.place);
  }

  leave(): Generator<void> {
    return this.inside.leave();
  }

  *result(bucket: number): Generator<void, Intermediate> {
    const docCount = this.#counts[bucket] ?? 0;
    const inside = yield* this.inside.results(bucket);
    return { kind: 'bucket', bucket: { docCount, inside } };
  }

  /** The rows that are collected. */
  protected get place(): SegmentPlace {
    if (this.#place === null) throw new TypeError('Collects before it was told what');
    return this.#place;
  }

  /** A set of rows that are inside, all in bucket 0. */
  protected *takeSet(rows: RowSet, rowCount: number): Generator<void> {
    this.#counts[0]! += countRows(rows, rowCount);
    yield* this.inside.collectSet(rows);
  }

  #count(buckets: Int32Array, count: number): void {
    let counts = this.#counts;
    for (let i = 0; i < count; i++) {
      const bucket = buckets[i]!;
      if (bucket >= counts.length) counts = grown(counts, bucket);
      counts[bucket]! += 1;
    }
    this.#counts = counts;
  }
}

/** Hands on some of the rows, or other rows than it was given. */
abstract class SiftingCollector extends SingleCollector {
  #block: RowBlock | null = null;

  /** Rows that are handed on; made when there are some. */
  protected get out(): RowBlock {
    this.#block ??= new RowBlock();
    return this.#block;
  }

  /** Hands on the block; what is in it then. */
  protected hand(taken: number): number {
    if (taken > 0) super.collect(this.out.rows, this.out.buckets, taken);
    return 0;
  }
}

class FilterCollector extends SiftingCollector {
  readonly #query: Query;
  #matching: RowSet = null;

  constructor(query: Query, inside: Inside) {
    super(inside);
    this.#query = query;
  }

  override *enter(place: SegmentPlace): Generator<void> {
    this.#matching = yield* place.index.matches(this.#query, place);
    yield* super.enter(place);
  }

  override *collectSet(rows: RowSet): Generator<void> {
    yield* this.takeSet(commonRows(rows, this.#matching), this.place.table?.rowCount ?? 0);
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const matching = this.#matching;
    const { out } = this;
    let taken = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      if (!hasRow(matching, row)) continue;
      out.rows[taken] = row;
      out.buckets[taken++] = buckets === null ? 0 : buckets[i]!;
    }
    this.hand(taken);
  }
}

class MissingCollector extends SiftingCollector {
  readonly #source: ValueSource;
  #valuesOf: ValueCounter = () => 0;

  constructor(source: ValueSource, inside: Inside) {
    super(inside);
    this.#source = source;
  }

  override *enter(place: SegmentPlace): Generator<void> {
    this.#valuesOf = valueCounter(this.#source, place);
    yield* super.enter(place);
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const { out } = this;
    let taken = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      if (this.#valuesOf(row) > 0) continue;
      out.rows[taken] = row;
      out.buckets[taken++] = buckets === null ? 0 : buckets[i]!;
    }
    this.hand(taken);
  }
}

/** From a document to its elements. */
class NestedCollector extends SiftingCollector {
  readonly #path: string | null;
  #firstRow: Int32Array | null = null;

  /** @param path null: the index has no such elements */
  constructor(path: string | null, inside: Inside) {
    super(inside);
    this.#path = path;
  }

  override *enter(place: SegmentPlace): Generator<void> {
    const path = place.path === null ? this.#path : null;
    const below =
      path === null ? { ...place, table: undefined } : place.index.place(place.view, path);
    this.#firstRow = below.table?.firstRow ?? null;
    yield* super.enter(below);
  }

  override *collectSet(rows: RowSet): Generator<void> {
    const firstRow = this.#firstRow;
    if (firstRow === null) return;
    const elements = rows === null ? null : elementsOf(rows, firstRow);
    yield* this.takeSet(elements, this.place.table?.rowCount ?? 0);
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const firstRow = this.#firstRow;
    if (firstRow === null) return;
    const { out } = this;
    let taken = 0;
    let steps = 0;
    for (let i = 0; i < count; i++) {
      const bucket = buckets === null ? 0 : buckets[i]!;
      const to = firstRow[rows[i]! + 1]!;
      for (let row = firstRow[rows[i]!]!; row < to; row++) {
        out.rows[taken] = row;
        out.buckets[taken++] = bucket;
        steps += 1;
        if (taken === BLOCK_ROWS) taken = this.hand(taken);
      }
    }
    this.hand(taken);
    this.place.index.addSteps(steps);
  }
}

/** From an element to its document, which counts once in a bucket: its elements come one after the other. */
class ReverseNestedCollector extends SiftingCollector {
  #elements: SegmentPlace | null = null;
  #parent: Int32Array | null = null;
  /** By bucket: one more than the last document, so that 0 means none. */
  #last = new Int32Array(8);

  override *enter(place: SegmentPlace): Generator<void> {
    this.#elements = place;
    this.#parent = place.table?.parent ?? null;
    this.#last.fill(0);
    yield* super.enter(place.index.place(place.view, null));
  }

  override *collectSet(rows: RowSet): Generator<void> {
    if (this.#elements !== null) yield* collectInBlocks(this, rows, this.#elements);
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const parent = this.#parent;
    if (parent === null) return;
    const { out } = this;
    let last = this.#last;
    let taken = 0;
    for (let i = 0; i < count; i++) {
      const bucket = buckets === null ? 0 : buckets[i]!;
      if (bucket >= last.length) last = grown(last, bucket);
      const document = parent[rows[i]!]!;
      if (last[bucket] === document + 1) continue;
      last[bucket] = document + 1;
      out.rows[taken] = document;
      out.buckets[taken++] = bucket;
    }
    this.#last = last;
    this.hand(taken);
  }
}

function grown(array: Int32Array, index: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(array.length * 2, index + 1));
  larger.set(array);
  return larger;
}
