// Buckets by key: terms, histograms, ranges, filters and composite tuples are all columns of keys in front of this.
// Where a bucket can be known to be too small from one segment alone, rows are kept aside until they are counted, and
// the aggregations inside see only those of buckets that stay.
// Invariant: a row counts once in each bucket.
import { IntList } from '../../index/growable.ts';
import { BucketTable } from '../bucket-table.ts';
import { type Collector, type IndexAggregation, resultsOf } from '../collector.ts';
import type { Bucket, Intermediate, Key } from '../intermediate.ts';
import type { KeyColumn } from '../key-column.ts';

export class KeyedCollector implements Collector {
  readonly #index: IndexAggregation;
  readonly #keys: KeyColumn;
  readonly #inside: readonly Collector[];
  readonly #least: number;
  readonly #table: BucketTable;
  /** Pairs of row and bucket, for later; null: nothing is kept aside. */
  #aside: IntList | null;

  /** @param least rows of a bucket, where no other segment can add to it */
  constructor(index: IndexAggregation, keys: KeyColumn, inside: readonly Collector[], least = 0) {
    this.#index = index;
    this.#keys = keys;
    this.#inside = inside;
    this.#least = least;
    this.#aside = least > 1 && inside.length > 0 && !index.scoring ? new IntList() : null;
    this.#table = new BucketTable(keys.size);
  }

  collect(row: number, owner: number): void {
    const table = this.#table;
    const { found } = this.#keys;
    const count = this.#keys.load(row);
    for (let i = 0; i < count; i++) {
      const known = table.size;
      const bucket = table.find(owner, found[i]!);
      if (bucket === known) this.#index.request.addBucket();
      table.counts[bucket]! += 1;
      if (this.#aside !== null) {
        this.#aside.push(row);
        this.#aside.push(bucket);
        continue;
      }
      for (let at = 0; at < this.#inside.length; at++) this.#inside[at]!.collect(row, bucket);
    }
  }

  *result(owner: number): Generator<void, Intermediate> {
    if (this.#aside !== null) yield* this.#replay(this.#aside);
    const own = this.#table.of(owner);
    const buckets = new Map<Key, Bucket>();
    for (let i = 0; i < own.length; i++) {
      if (this.#index.request.tick()) yield;
      const number = own[i]!;
      if (this.#table.counts[number]! < this.#least) continue;
      const key = this.#keys.key(this.#table.keyOf(number));
      const inside = yield* resultsOf(this.#inside, number);
      buckets.set(key, { docCount: this.#table.counts[number]!, inside });
    }
    return { kind: 'buckets', buckets };
  }

  *#replay(aside: IntList): Generator<void> {
    this.#aside = null;
    for (let i = 0; i < aside.length; i += 2) {
      if (this.#index.request.tick()) yield;
      const bucket = aside.data[i + 1]!;
      if (this.#table.counts[bucket]! < this.#least) continue;
      for (const collector of this.#inside) collector.collect(aside.data[i]!, bucket);
    }
  }
}
