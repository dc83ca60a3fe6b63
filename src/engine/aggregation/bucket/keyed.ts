// Collects buckets by key for terms, histograms, ranges, filters and composite, which differ only
// in their key column.
// Invariant: a row counts once in each bucket.
import { mapSteps } from '../../../query/steps.ts';
import { BucketTable } from '../collecting/bucket-table.ts';
import {
  type Collector,
  collectInBlocks,
  type IndexAggregation,
  type SegmentContext,
} from '../collecting/collector.ts';
import type { Bucket, Intermediate, Key } from '../collecting/intermediate.ts';
import {
  BLOCK_ROWS,
  type CountedSet,
  commonRows,
  countRows,
  RowBlock,
  type RowSet,
  RowWalk,
  rowsWithout,
} from '../collecting/rows.ts';
import type { SubAggregations } from '../collecting/sub-aggregations.ts';
import type { IndexKeys } from '../keys/index-keys.ts';
import type { LoadedKeys, OrdinalKeys } from '../keys/key-column.ts';
import { type CountedRows, countKeys } from '../keys/key-counts.ts';
import { numberOf } from '../keys/loaded-keys.ts';
import type { BucketSelector, Candidates } from './bucket-selection.ts';

export class KeyedCollector implements Collector, Candidates {
  readonly #index: IndexAggregation;
  readonly #keys: IndexKeys;
  readonly #subAggregations: SubAggregations;
  readonly #select: BucketSelector | null;
  readonly #table = new BucketTable();
  /** Rows for the sub-aggregations; allocated on first use. */
  #block: RowBlock | null = null;
  #context: SegmentContext | null = null;

  /** @param select selects the buckets to return, if no other index can add to them; null: all */
  constructor(
    index: IndexAggregation,
    keys: IndexKeys,
    subAggregations: SubAggregations,
    select: BucketSelector | null = null,
  ) {
    this.#index = index;
    this.#keys = keys;
    this.#subAggregations = subAggregations;
    this.#select = select;
  }

  *enter(context: SegmentContext): Generator<void> {
    this.#context = context;
    yield* this.#keys.enter(context);
    yield* this.#subAggregations.enter(context);
  }

  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const { column } = this.#keys;
    const sizeBefore = this.#table.size;
    let counted = 0;
    if (column.kind === 'loaded') {
      const countedBefore = column.counted ?? 0;
      this.#collectLoaded(column, rows, buckets, count);
      counted = (column.counted ?? 0) - countedBefore;
    } else if (column.start === null) this.#collectSingle(column.ords, rows, buckets, count);
    else this.#collectMany(column.ords, column.start, rows, buckets, count);
    this.#index.request.addBuckets(this.#table.size - sizeBefore - counted);
  }

  *collectSet({ rows, count: setSize }: CountedSet): Generator<void> {
    const { column, absent } = this.#keys;
    const rowCount = this.#context?.table?.rowCount ?? 0;
    // With many more keys than rows, visiting each key takes longer than visiting each row.
    if (column.kind === 'ordinals' && this.#subAggregations.isEmpty && column.size <= setSize * 2) {
      const empty = absent >= 0 ? 'counted' : 'ignored';
      yield* this.#countSet(column, { rows, rowCount, setSize, empty });
    } else if (column.kind === 'loaded' && column.sets !== undefined) {
      yield* this.#collectSets(column.sets, rows, rowCount);
    } else if (this.#context !== null) {
      yield* collectInBlocks(this, rows, this.#context);
    }
  }

  leave(): Generator<void> {
    return this.#subAggregations.leave();
  }

  *result(owner: number): Generator<void, Intermediate> {
    const candidates = this.#table.of(owner);
    const buckets = new Map<Key, Bucket>();
    const select = this.#select;
    const { buckets: selected, rest } =
      select === null ? { buckets: candidates, rest: 0 } : yield* select(candidates, this);
    for (const number of selected) {
      if (this.#index.request.tick()) yield;
      buckets.set(this.#keys.key(this.#table.keyOf(number)), yield* this.buildBucket(number));
    }
    return { kind: 'buckets', buckets, rest };
  }

  docCount(bucket: number): number {
    return this.#table.counts[bucket]!;
  }

  compareKeys(left: number, right: number): number {
    return this.#keys.compare(this.#table.keyOf(left), this.#table.keyOf(right));
  }

  buildBucket(bucket: number): Generator<void, Bucket> {
    const docCount = this.docCount(bucket);
    return mapSteps(this.#subAggregations.results(bucket), (subResults) => {
      return { docCount, subResults };
    });
  }

  #collectSingle(
    ords: Int32Array,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const { numbers, absent } = this.#keys;
    const table = this.#table;
    const { rows: outRows, buckets: outBuckets } = this.#outBlock;
    let blockSize = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      const ord = ords[row]!;
      let number = absent;
      if (ord >= 0) {
        number = numbers === null ? ord : numbers[ord]!;
        if (number === -1) number = this.#keys.resolve(ord);
      }
      if (number < 0) continue;
      // path: one value
      outRows[blockSize] = row;
      outBuckets[blockSize++] = table.find(buckets === null ? 0 : buckets[i]!, number);
    }
    this.#flush(blockSize);
  }

  #collectMany(
    ords: Int32Array,
    start: Uint32Array,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const { numbers, absent } = this.#keys;
    let blockSize = 0;
    for (let i = 0; i < count; i++) {
      // path: several values
      const row = rows[i]!;
      const owner = buckets === null ? 0 : buckets[i]!;
      const from = start[row]!;
      const to = start[row + 1]!;
      if (from === to && absent >= 0) blockSize = this.#append(blockSize, row, owner, absent);
      for (let at = from; at < to; at++) {
        const ord = ords[at]!;
        let number = numbers === null ? ord : numbers[ord]!;
        if (number === -1) number = this.#keys.resolve(ord);
        if (number >= 0) blockSize = this.#append(blockSize, row, owner, number);
      }
    }
    this.#flush(blockSize);
  }

  #collectLoaded(
    column: LoadedKeys,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const { absent } = this.#keys;
    const { rowKeys } = column;
    let blockSize = 0;
    for (let i = 0; i < count; i++) {
      // path: keys loaded
      const row = rows[i]!;
      const owner = buckets === null ? 0 : buckets[i]!;
      const keys = column.load(row);
      if (keys === 0 && absent >= 0) blockSize = this.#append(blockSize, row, owner, absent);
      for (let at = 0; at < keys; at++) {
        if (rowKeys[at]! >= 0) blockSize = this.#append(blockSize, row, owner, rowKeys[at]!);
      }
    }
    this.#flush(blockSize);
  }

  get #outBlock(): RowBlock {
    this.#block ??= new RowBlock();
    return this.#block;
  }

  /** Appends a row to the block and returns the new number of rows. */
  #append(blockSize: number, row: number, owner: number, key: number): number {
    const { rows, buckets } = this.#outBlock;
    rows[blockSize] = row;
    buckets[blockSize] = this.#table.find(owner, key);
    if (blockSize + 1 < BLOCK_ROWS) return blockSize + 1;
    this.#flush(BLOCK_ROWS);
    return 0;
  }

  /** Counts the rows of the block and passes them on. */
  #flush(blockSize: number): void {
    if (blockSize === 0) return;
    const { rows, buckets } = this.#outBlock;
    const { counts } = this.#table;
    for (let i = 0; i < blockSize; i++) counts[buckets[i]!]! += 1;
    this.#subAggregations.collect(rows, buckets, blockSize);
  }

  /** Collects each bucket as the intersection of its set and the rows. */
  *#collectSets(sets: readonly RowSet[], rows: RowSet, rowCount: number): Generator<void> {
    for (const [key, set] of sets.entries()) {
      // path: set of each key
      yield* this.#collectBucket(key, commonRows(rows, set, rowCount), rowCount);
    }
    const { absent } = this.#keys;
    if (absent < 0) return;
    const others = rowsWithout(rows, sets, rowCount);
    yield* this.#collectBucket(
      absent,
      { rows: others, count: countRows(others, rowCount) },
      rowCount,
    );
  }

  *#collectBucket(key: number, { rows, count }: CountedSet, rowCount: number): Generator<void> {
    if (count === 0) return;
    const bucket = this.#table.find(0, key);
    this.#table.counts[bucket]! += count;
    if (this.#subAggregations.isEmpty) return;
    const buckets = new Int32Array(BLOCK_ROWS).fill(bucket);
    const walk = new RowWalk(rows, rowCount);
    for (
      let blockSize = walk.next(this.#index.blockRows);
      blockSize > 0;
      blockSize = walk.next(this.#index.blockRows)
    ) {
      this.#subAggregations.collect(walk.rows, buckets, blockSize);
      if (this.#index.recordRows(blockSize)) yield;
    }
  }

  /** Counts the rows of each key, which is all that is needed without sub-aggregations. */
  *#countSet(column: OrdinalKeys, rows: CountedRows): Generator<void> {
    const { absent } = this.#keys;
    const { request } = this.#index;
    const table = this.#table;
    // path: keys counted
    const counts = yield* countKeys(column, rows);
    let sizeBefore = table.size;
    for (let ord = 0; ord <= column.size; ord++) {
      const count = counts[ord]!;
      if (count === 0) continue;
      const number = ord < column.size ? numberOf(this.#keys, ord) : absent;
      if (number >= 0) {
        const bucket = table.find(0, number);
        table.counts[bucket]! += count;
      }
      if (table.size - sizeBefore < BLOCK_ROWS) continue;
      request.addBuckets(table.size - sizeBefore);
      sizeBefore = table.size;
      yield;
    }
    request.addBuckets(table.size - sizeBefore);
  }
}
