// Aggregations with a single bucket: `filter`, `missing`, `global`, and the mappings between
// documents and their elements (`nested`, `reverse_nested`).
import type { BucketAggregation, ValueSource } from '../../../query/aggregation.ts';
import type { Query } from '../../../query/query.ts';
import { done, mapSteps } from '../../../query/steps.ts';
import {
  type Collector,
  type CreateCollector,
  collectInBlocks,
  type IndexAggregation,
  type SegmentContext,
} from '../collecting/collector.ts';
import type { Intermediate } from '../collecting/intermediate.ts';
import {
  BLOCK_ROWS,
  type CountedSet,
  commonRows,
  elementsOf,
  hasRow,
  RowBlock,
  type RowSet,
} from '../collecting/rows.ts';
import { SubAggregations } from '../collecting/sub-aggregations.ts';
import { type ValueCounter, valueCounter } from '../keys/value-counts.ts';

type Single = Extract<
  BucketAggregation,
  { readonly kind: 'filter' | 'nested' | 'reverseNested' | 'missing' | 'global' }
>;

export function singleCollector(
  aggregation: Single,
  index: IndexAggregation,
  create: CreateCollector,
): Collector {
  const subAggregations = new SubAggregations(aggregation.aggregations, index, create);
  switch (aggregation.kind) {
    case 'filter':
      return new FilterCollector(aggregation.query, subAggregations);
    case 'missing':
      return new MissingCollector(aggregation.source, subAggregations);
    case 'global':
      return new SingleCollector(subAggregations);
    case 'nested':
      return new NestedCollector(aggregation.path, subAggregations);
    case 'reverseNested':
      return new ReverseNestedCollector(subAggregations);
  }
}

/** Counts rows by the parent's bucket and passes them on. */
class SingleCollector implements Collector {
  protected readonly subAggregations: SubAggregations;
  #counts = new Int32Array(8);
  #context: SegmentContext | null = null;

  constructor(subAggregations: SubAggregations) {
    this.subAggregations = subAggregations;
  }

  enter(context: SegmentContext): Generator<void> {
    this.#context = context;
    return this.subAggregations.enter(context);
  }

  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    if (buckets === null) this.#counts[0]! += count;
    else this.#count(buckets, count);
    this.subAggregations.collect(rows, buckets, count);
  }

  collectSet({ rows }: CountedSet): Generator<void> {
    return collectInBlocks(this, rows, this.context);
  }

  leave(): Generator<void> {
    return this.subAggregations.leave();
  }

  result(bucket: number): Generator<void, Intermediate> {
    const docCount = this.#counts[bucket] ?? 0;
    return mapSteps(this.subAggregations.results(bucket), (subResults) => {
      return { kind: 'bucket', bucket: { docCount, subResults } };
    });
  }

  /** The rows being collected. */
  protected get context(): SegmentContext {
    if (this.#context === null) throw new TypeError('collect() was called before enter()');
    return this.#context;
  }

  /** Collects a set of rows for the sub-aggregations, all in bucket 0. */
  protected forwardSet(set: CountedSet): Generator<void> {
    this.#counts[0]! += set.count;
    return this.subAggregations.collectSet(set);
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

/** Passes on some of its rows, or other rows than it received. */
abstract class MappingCollector extends SingleCollector {
  #block: RowBlock | null = null;

  /** The rows to pass on; allocated on first use. */
  protected get outBlock(): RowBlock {
    this.#block ??= new RowBlock();
    return this.#block;
  }

  /** Passes on the rows in the block and returns its new size, 0. */
  protected flush(blockSize: number): number {
    if (blockSize > 0) super.collect(this.outBlock.rows, this.outBlock.buckets, blockSize);
    return 0;
  }
}

class FilterCollector extends MappingCollector {
  readonly #query: Query;
  #matching: RowSet = null;

  constructor(query: Query, subAggregations: SubAggregations) {
    super(subAggregations);
    this.#query = query;
  }

  override *enter(context: SegmentContext): Generator<void> {
    this.#matching = yield* context.index.matches(this.#query, context);
    yield* super.enter(context);
  }

  override collectSet({ rows }: CountedSet): Generator<void> {
    // path: filter of a set
    const { rowCount } = this.context.table ?? { rowCount: 0 };
    return this.forwardSet(commonRows(rows, this.#matching, rowCount));
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const matching = this.#matching;
    const { outBlock } = this;
    let blockSize = 0;
    for (let i = 0; i < count; i++) {
      // path: filter of a block
      const row = rows[i]!;
      if (!hasRow(matching, row)) continue;
      outBlock.rows[blockSize] = row;
      outBlock.buckets[blockSize++] = buckets === null ? 0 : buckets[i]!;
    }
    this.flush(blockSize);
  }
}

class MissingCollector extends MappingCollector {
  readonly #source: ValueSource;
  #valuesOf: ValueCounter = () => 0;

  constructor(source: ValueSource, subAggregations: SubAggregations) {
    super(subAggregations);
    this.#source = source;
  }

  override enter(context: SegmentContext): Generator<void> {
    this.#valuesOf = valueCounter(this.#source, context);
    return super.enter(context);
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const { outBlock } = this;
    let blockSize = 0;
    for (let i = 0; i < count; i++) {
      // path: row without a value
      const row = rows[i]!;
      if (this.#valuesOf(row) > 0) continue;
      outBlock.rows[blockSize] = row;
      outBlock.buckets[blockSize++] = buckets === null ? 0 : buckets[i]!;
    }
    this.flush(blockSize);
  }
}

/** Maps a document to its elements. */
class NestedCollector extends MappingCollector {
  readonly #path: string | null;
  #firstRow: Int32Array | null = null;

  /** @param path null: the index has no such elements */
  constructor(path: string | null, subAggregations: SubAggregations) {
    super(subAggregations);
    this.#path = path;
  }

  override enter(context: SegmentContext): Generator<void> {
    const path = context.path === null ? this.#path : null;
    const elements =
      path === null
        ? { ...context, table: undefined }
        : context.index.contextOf(context.view, path);
    this.#firstRow = elements.table?.firstRow ?? null;
    return super.enter(elements);
  }

  override collectSet({ rows }: CountedSet): Generator<void> {
    const firstRow = this.#firstRow;
    if (firstRow === null) return done(undefined);
    return this.forwardSet(
      rows === null ? { rows, count: firstRow[firstRow.length - 1]! } : elementsOf(rows, firstRow),
    );
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const firstRow = this.#firstRow;
    if (firstRow === null) return;
    const { outBlock } = this;
    let blockSize = 0;
    let steps = 0;
    for (let i = 0; i < count; i++) {
      // path: elements of documents
      const bucket = buckets === null ? 0 : buckets[i]!;
      const to = firstRow[rows[i]! + 1]!;
      for (let row = firstRow[rows[i]!]!; row < to; row++) {
        outBlock.rows[blockSize] = row;
        outBlock.buckets[blockSize++] = bucket;
        steps += 1;
        if (blockSize === BLOCK_ROWS) blockSize = this.flush(blockSize);
      }
    }
    this.flush(blockSize);
    this.context.index.addSteps(steps);
  }
}

/**
 * Maps an element to its document, which counts once per bucket: the elements of a document are
 * consecutive.
 */
class ReverseNestedCollector extends MappingCollector {
  #elements: SegmentContext | null = null;
  #parent: Int32Array | null = null;
  /** For each bucket the last document plus 1; 0 means none. */
  #last = new Int32Array(8);

  override enter(context: SegmentContext): Generator<void> {
    this.#elements = context;
    this.#parent = context.table?.parent ?? null;
    this.#last.fill(0);
    return super.enter(context.index.contextOf(context.view, null));
  }

  override collectSet({ rows }: CountedSet): Generator<void> {
    const elements = this.#elements;
    return elements === null ? done(undefined) : collectInBlocks(this, rows, elements);
  }

  override collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const parent = this.#parent;
    if (parent === null) return;
    const { outBlock } = this;
    let last = this.#last;
    let blockSize = 0;
    for (let i = 0; i < count; i++) {
      const bucket = buckets === null ? 0 : buckets[i]!;
      if (bucket >= last.length) last = grown(last, bucket);
      const document = parent[rows[i]!]!;
      if (last[bucket] === document + 1) continue;
      // path: documents of elements
      last[bucket] = document + 1;
      outBlock.rows[blockSize] = document;
      outBlock.buckets[blockSize++] = bucket;
    }
    this.#last = last;
    this.flush(blockSize);
  }
}

function grown(array: Int32Array, index: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(array.length * 2, index + 1));
  larger.set(array);
  return larger;
}
