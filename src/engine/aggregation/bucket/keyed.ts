// Buckets by key: terms, histograms, ranges, filters and composite tuples are all columns of keys in front of this.
// Where a bucket can be known to be too small from one segment alone, rows are kept aside until they are counted, and
// the aggregations inside see only those of buckets that stay.
// Invariant: a row counts once in each bucket.
import { IntList } from '../../fields/growable.ts';
import { BucketTable } from '../bucket-table.ts';
import {
  type Collector,
  collectInBlocks,
  type IndexAggregation,
  type SegmentPlace,
} from '../collector.ts';
import type { Inside } from '../inside.ts';
import type { Bucket, Intermediate, Key } from '../intermediate.ts';
import type { IndexKeys } from '../keys/index-keys.ts';
import type { LoadedKeys, PlacedKeys } from '../keys/key-column.ts';
import { type CountedRows, countKeys } from '../keys/key-counts.ts';
import { numberOf } from '../keys/loaded-keys.ts';
import {
  BLOCK_ROWS,
  commonRows,
  countRows,
  RowBlock,
  type RowSet,
  RowWalk,
  rowsWithout,
} from '../rows.ts';
import type { Candidates, Choose } from './chosen.ts';

export interface KeyedOptions {
  /** Rows of a bucket, at least, where no other segment can add to it. */
  readonly least?: number;
  /** Which buckets are told, where that is known before other indices are asked; null: all. */
  readonly choose?: Choose | null;
}

export class KeyedCollector implements Collector, Candidates {
  readonly #index: IndexAggregation;
  readonly #keys: IndexKeys;
  readonly #inside: Inside;
  readonly #least: number;
  readonly #choose: Choose | null;
  readonly #table = new BucketTable();
  /** Pairs of row and bucket of the segment, for later; null: nothing is kept aside. */
  readonly #aside: IntList | null;
  /** Rows on their way inside; made when there are some. */
  #block: RowBlock | null = null;
  #place: SegmentPlace | null = null;

  constructor(
    index: IndexAggregation,
    keys: IndexKeys,
    inside: Inside,
    { least = 0, choose = null }: KeyedOptions = {},
  ) {
    this.#index = index;
    this.#keys = keys;
    this.#inside = inside;
    this.#least = least;
    this.#choose = choose;
    this.#aside = least > 1 && !inside.isEmpty && !index.scoring ? new IntList() : null;
  }

  *enter(place: SegmentPlace): Generator<void> {
    this.#place = place;
    yield* this.#keys.enter(place);
    const { size } = this.#keys;
    if (size !== null) this.#table.reserve(size, this.#index.expectedRows(place.path));
    yield* this.#inside.enter(place);
  }

  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    const { column } = this.#keys;
    const known = this.#table.size;
    if (column.kind === 'loaded') this.#collectLoaded(column, rows, buckets, count);
    else if (column.start === null) this.#collectSingle(column.ords, rows, buckets, count);
    else this.#collectMany(column.ords, column.start, rows, buckets, count);
    this.#index.request.addBuckets(this.#table.size - known);
  }

  *collectSet(rows: RowSet): Generator<void> {
    const { column, absent } = this.#keys;
    const rowCount = this.#place?.table?.rowCount ?? 0;
    const wanted = countRows(rows, rowCount);
    // With many more keys than rows, looking at each key takes longer than looking at each row.
    if (column.kind === 'placed' && this.#inside.isEmpty && column.size <= wanted * 2) {
      const empty = absent >= 0 ? 'counted' : 'passed over';
      yield* this.#countSet(column, { rows, rowCount, wanted, empty });
    } else if (column.kind === 'loaded' && column.sets !== undefined && this.#aside === null) {
      yield* this.#collectSets(column.sets, rows, rowCount);
    } else if (this.#place !== null) {
      yield* collectInBlocks(this, rows, this.#place);
    }
  }

  *leave(): Generator<void> {
    if (this.#aside !== null) yield* this.#replay(this.#aside);
    yield* this.#inside.leave();
  }

  *result(owner: number): Generator<void, Intermediate> {
    const own = this.#table.of(owner);
    const buckets = new Map<Key, Bucket>();
    const choose = this.#choose;
    const { among, rest } = choose === null ? { among: own, rest: 0 } : yield* choose(own, this);
    for (const number of among) {
      if (this.#index.request.tick()) yield;
      if (this.docCount(number) < this.#least) continue;
      buckets.set(this.#keys.key(this.#table.keyOf(number)), yield* this.told(number));
    }
    return { kind: 'buckets', buckets, rest };
  }

  docCount(bucket: number): number {
    return this.#table.counts[bucket]!;
  }

  compareKeys(left: number, right: number): number {
    return this.#keys.compare(this.#table.keyOf(left), this.#table.keyOf(right));
  }

  *told(bucket: number): Generator<void, Bucket> {
    const inside = this.#inside.isEmpty ? [] : yield* this.#inside.results(bucket);
    return { docCount: this.docCount(bucket), inside };
  }

  #collectSingle(
    ords: Int32Array,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const { numbers, absent } = this.#keys;
    const table = this.#table;
    const { rows: outRows, buckets: outBuckets } = this.#out;
    let taken = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      const ord = ords[row]!;
      let number = absent;
      if (ord >= 0) {
        number = numbers === null ? ord : numbers[ord]!;
        if (number === -1) number = this.#keys.resolve(ord);
      }
      if (number < 0) continue;
      outRows[taken] = row;
      outBuckets[taken++] = table.find(buckets === null ? 0 : buckets[i]!, number);
    }
    this.#take(taken);
  }

  #collectMany(
    ords: Int32Array,
    start: Uint32Array,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const { numbers, absent } = this.#keys;
    let taken = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      const owner = buckets === null ? 0 : buckets[i]!;
      const from = start[row]!;
      const to = start[row + 1]!;
      if (from === to && absent >= 0) taken = this.#put(taken, row, owner, absent);
      for (let at = from; at < to; at++) {
        const ord = ords[at]!;
        let number = numbers === null ? ord : numbers[ord]!;
        if (number === -1) number = this.#keys.resolve(ord);
        if (number >= 0) taken = this.#put(taken, row, owner, number);
      }
    }
    this.#take(taken);
  }

  #collectLoaded(
    column: LoadedKeys,
    rows: Int32Array,
    buckets: Int32Array | null,
    count: number,
  ): void {
    const { absent } = this.#keys;
    const { found } = column;
    let taken = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i]!;
      const owner = buckets === null ? 0 : buckets[i]!;
      const keys = column.load(row);
      if (keys === 0 && absent >= 0) taken = this.#put(taken, row, owner, absent);
      for (let at = 0; at < keys; at++) {
        if (found[at]! >= 0) taken = this.#put(taken, row, owner, found[at]!);
      }
    }
    this.#take(taken);
  }

  get #out(): RowBlock {
    this.#block ??= new RowBlock();
    return this.#block;
  }

  /** Puts a row behind those in the block; how many there are then. */
  #put(taken: number, row: number, owner: number, key: number): number {
    const { rows, buckets } = this.#out;
    rows[taken] = row;
    buckets[taken] = this.#table.find(owner, key);
    if (taken + 1 < BLOCK_ROWS) return taken + 1;
    this.#take(BLOCK_ROWS);
    return 0;
  }

  /** Counts the rows in the block and hands them on. */
  #take(taken: number): void {
    if (taken === 0) return;
    const { rows, buckets } = this.#out;
    const { counts } = this.#table;
    for (let i = 0; i < taken; i++) counts[buckets[i]!]! += 1;
    if (this.#aside === null) {
      this.#inside.collect(rows, buckets, taken);
      return;
    }
    for (let i = 0; i < taken; i++) {
      this.#aside.push(rows[i]!);
      this.#aside.push(buckets[i]!);
    }
  }

  /** Each bucket has the rows that are in its set as well. */
  *#collectSets(sets: readonly RowSet[], rows: RowSet, rowCount: number): Generator<void> {
    for (const [key, set] of sets.entries()) {
      yield* this.#collectBucket(key, commonRows(rows, set), rowCount);
    }
    const { absent } = this.#keys;
    if (absent < 0) return;
    yield* this.#collectBucket(absent, rowsWithout(rows, sets, rowCount), rowCount);
  }

  *#collectBucket(key: number, rows: RowSet, rowCount: number): Generator<void> {
    const count = countRows(rows, rowCount);
    if (count === 0) return;
    const bucket = this.#table.find(0, key);
    this.#table.counts[bucket]! += count;
    if (this.#inside.isEmpty) return;
    const buckets = new Int32Array(BLOCK_ROWS).fill(bucket);
    const walk = new RowWalk(rows, rowCount);
    for (
      let taken = walk.next(this.#index.blockRows);
      taken > 0;
      taken = walk.next(this.#index.blockRows)
    ) {
      this.#inside.collect(walk.rows, buckets, taken);
      if (this.#index.didRows(taken)) yield;
    }
  }

  /** Nothing is inside: it is enough to know how many rows have each key. */
  *#countSet(column: PlacedKeys, rows: CountedRows): Generator<void> {
    const { absent } = this.#keys;
    const { request } = this.#index;
    const table = this.#table;
    const counts = yield* countKeys(column, rows);
    let known = table.size;
    for (let ord = 0; ord <= column.size; ord++) {
      const count = counts[ord]!;
      if (count === 0) continue;
      const number = ord < column.size ? numberOf(this.#keys, ord) : absent;
      if (number >= 0) {
        const bucket = table.find(0, number);
        table.counts[bucket]! += count;
      }
      if (table.size - known < BLOCK_ROWS) continue;
      request.addBuckets(table.size - known);
      known = table.size;
      yield;
    }
    request.addBuckets(table.size - known);
  }

  /** Hands on the rows kept aside that are in buckets large enough. */
  *#replay(aside: IntList): Generator<void> {
    const { rows, buckets } = this.#out;
    let taken = 0;
    for (let i = 0; i < aside.length; i += 2) {
      const bucket = aside.data[i + 1]!;
      if (this.#table.counts[bucket]! < this.#least) continue;
      rows[taken] = aside.data[i]!;
      buckets[taken++] = bucket;
      if (taken < BLOCK_ROWS) continue;
      this.#inside.collect(rows, buckets, taken);
      taken = 0;
      yield;
    }
    aside.length = 0;
    if (taken > 0) this.#inside.collect(rows, buckets, taken);
  }
}
