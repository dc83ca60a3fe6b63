// `composite`: tuples of keys, one from each source. A row is in every tuple its values can make.
// A tuple is a path through tables, one for each source: what stands at the end of a path is its number.
import type { BucketAggregation, CompositeSource } from '../../../query/aggregation/aggregation.ts';
import { BucketTable } from '../bucket-table.ts';
import type { Collector, CreateCollector, IndexAggregation, SegmentPlace } from '../collector.ts';
import { Inside } from '../inside.ts';
import type { Key } from '../intermediate.ts';
import { type IndexKeys, REJECTED } from '../keys/index-keys.ts';
import type { KeyColumn, LoadedKeys } from '../keys/key-column.ts';
import { compareKeys } from '../keys/key-order.ts';
import { keysOf, roundedKeys } from '../keys/keys-of.ts';
import { loadedKeys } from '../keys/loaded-keys.ts';
import type { DistinctKeys } from '../metric/distinct-keys.ts';
import { firstTuples } from './chosen.ts';
import { intervalRounding, numberRounding } from './histograms.ts';
import { KeyedCollector } from './keyed.ts';

type Composite = Extract<BucketAggregation, { readonly kind: 'composite' }>;

/** The keys of a composite bucket; null: no value. */
export type Tuple = readonly (Key | null)[];

export function compositeCollector(
  aggregation: Composite,
  index: IndexAggregation,
  create: CreateCollector,
): Collector {
  const { sources, after, size } = aggregation;
  const wanted = (tuple: Tuple): boolean =>
    after === undefined || compareTuples(tuple, after, sources) > 0;
  const keys = new TupleKeys(
    sources,
    sources.map((source) => sourceKeys(source, index)),
    wanted,
  );
  const inside = new Inside(aggregation.aggregations, index, create);
  const choose = index.request.indices === 1 ? firstTuples(size) : null;
  return new KeyedCollector(index, keys, inside, { choose });
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

function sourceKeys(source: CompositeSource, index: IndexAggregation): IndexKeys {
  switch (source.kind) {
    case 'terms':
      return keysOf(source.source, index);
    case 'histogram':
      return roundedKeys(source.source, numberRounding(source.interval, 0));
    case 'dateHistogram':
      return roundedKeys(source.source, intervalRounding(source.intervals));
  }
}

/** In a path, the key of a source is one more than its number: 0 is for no value. */
const NO_VALUE = 0;

class TupleKeys implements IndexKeys, LoadedKeys {
  readonly kind = 'loaded';
  readonly found: number[] = [];
  readonly column: KeyColumn = this;
  readonly numbers = null;
  readonly absent = REJECTED;
  readonly size = null;
  readonly #sources: readonly CompositeSource[];
  readonly #keys: readonly IndexKeys[];
  readonly #wanted: (tuple: Tuple) => boolean;
  readonly #paths: readonly BucketTable[];
  readonly #parents: number[][];
  readonly #columns: LoadedKeys[] = [];
  /** By the last number of a path: whether it is wanted. */
  readonly #isWanted: boolean[] = [];

  constructor(
    sources: readonly CompositeSource[],
    keys: readonly IndexKeys[],
    wanted: (tuple: Tuple) => boolean,
  ) {
    this.#sources = sources;
    this.#keys = keys;
    this.#wanted = wanted;
    this.#paths = sources.map(() => new BucketTable());
    this.#parents = sources.map(() => []);
  }

  *enter(place: SegmentPlace): Generator<void> {
    for (const [at, keys] of this.#keys.entries()) {
      yield* keys.enter(place);
      const rows = place.index.expectedRows(place.path);
      if (keys.size !== null) this.#paths[at]!.reserve(keys.size + 1, rows);
      this.#columns[at] = loadedKeys(keys);
    }
  }

  load(row: number): number {
    return this.#follow(row, 0, 0, 0);
  }

  resolve(ord: number): number {
    return ord;
  }

  key(number: number): Key {
    return JSON.stringify(this.#tuple(number));
  }

  compare(left: number, right: number): number {
    for (let at = 0; at < this.#keys.length; at++) {
      const a = this.#keyAt(left, at);
      const b = this.#keyAt(right, at);
      if (a === b) continue;
      const less = a === NO_VALUE || b === NO_VALUE;
      const compared = less ? a - b : this.#keys[at]!.compare(a - 1, b - 1);
      if (compared !== 0) return this.#sources[at]!.order === 'asc' ? compared : -compared;
    }
    return 0;
  }

  addTo(keys: DistinctKeys, number: number): void {
    keys.add(this.key(number));
  }

  /** Adds the tuples that begin with a path of `at` keys to those found; how many there are then. */
  #follow(row: number, at: number, path: number, found: number): number {
    const column = this.#columns[at];
    if (column === undefined) return this.#add(path, found);
    const count = column.load(row);
    let total = found;
    if (count === 0) {
      if (this.#sources[at]!.missingBucket !== true) return found;
      return this.#follow(row, at + 1, this.#step(at, path, NO_VALUE), total);
    }
    for (let i = 0; i < count; i++) {
      total = this.#follow(row, at + 1, this.#step(at, path, column.found[i]! + 1), total);
    }
    return total;
  }

  #step(at: number, path: number, key: number): number {
    const table = this.#paths[at]!;
    const known = table.size;
    const next = table.find(path, key);
    if (next === known) this.#parents[at]!.push(path);
    return next;
  }

  #add(path: number, found: number): number {
    this.#isWanted[path] ??= this.#wanted(this.#tuple(path));
    if (!this.#isWanted[path]) return found;
    this.found[found] = path;
    return found + 1;
  }

  #tuple(number: number): Tuple {
    return this.#keys.map((keys, at) => {
      const key = this.#keyAt(number, at);
      return key === NO_VALUE ? null : keys.key(key - 1);
    });
  }

  /** The key of a source in a tuple. */
  #keyAt(number: number, source: number): number {
    let path = number;
    for (let at = this.#keys.length - 1; at > source; at--) path = this.#parents[at]![path]!;
    return this.#paths[source]!.keyOf(path);
  }
}
