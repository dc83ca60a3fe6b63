// `composite`: buckets by tuples of keys, one key from each source. A row is in every tuple that
// its values can form. A tuple is a path through one table per source; the number at the end of the
// path is the number of the tuple.
import { ServiceError } from '../../../errors.ts';
import type { BucketAggregation, CompositeSource } from '../../../query/aggregation.ts';
import { BucketTable } from '../collecting/bucket-table.ts';
import type {
  Collector,
  CreateCollector,
  IndexAggregation,
  SegmentContext,
} from '../collecting/collector.ts';
import type { DistinctKeys } from '../collecting/distinct-keys.ts';
import type { Key } from '../collecting/intermediate.ts';
import { SubAggregations } from '../collecting/sub-aggregations.ts';
import { type IndexKeys, REJECTED } from '../keys/index-keys.ts';
import type { KeyColumn, LoadedKeys } from '../keys/key-column.ts';
import { compareKeys } from '../keys/key-order.ts';
import { keysOf, roundedKeys } from '../keys/keys-of.ts';
import { loadedKeys } from '../keys/loaded-keys.ts';
import { topTuples } from './bucket-selection.ts';
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
  const isAfter =
    after === undefined ? null : (tuple: Tuple) => compareTuples(tuple, after, sources) > 0;
  const sourcesKeys = sources.map((source) => sourceKeys(source, index));
  const keys = new TupleKeys(index, sources, sourcesKeys, isAfter);
  const subAggregations = new SubAggregations(aggregation.aggregations, index, create);
  const select = index.request.indices === 1 ? topTuples(size) : null;
  return new KeyedCollector(index, keys, subAggregations, select);
}

/** Compares in the orders of the sources; a missing value comes first in ascending order. */
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
      return roundedKeys(source.source, intervalRounding(source.intervals, index.request.dates));
  }
}

/** In a path, the key of a source is its number plus 1; 0 means no value. */
const NO_VALUE = 0;
/** Most steps along paths that one row may take: OpenSearch allows a document as many buckets. */
const ROW_STEPS_MAX = 65_535;

class TupleKeys implements IndexKeys, LoadedKeys {
  readonly kind = 'loaded';
  readonly rowKeys: number[] = [];
  readonly column: KeyColumn = this;
  readonly numbers = null;
  readonly absent = REJECTED;
  readonly #index: IndexAggregation;
  readonly #sources: readonly CompositeSource[];
  readonly #keys: readonly IndexKeys[];
  readonly #isAfter: ((tuple: Tuple) => boolean) | null;
  readonly #paths: readonly BucketTable[];
  readonly #parents: number[][];
  readonly #columns: LoadedKeys[] = [];
  /** For each complete path: true if the tuple comes after the `after` key. */
  readonly #pathIsAfter: boolean[] = [];
  /** The complete paths that do not. */
  #rejected = 0;
  /** Of the row that is being loaded. */
  #rowSteps = 0;

  /** @param isAfter whether a tuple comes after the `after` key; null: there is none */
  constructor(
    index: IndexAggregation,
    sources: readonly CompositeSource[],
    keys: readonly IndexKeys[],
    isAfter: ((tuple: Tuple) => boolean) | null,
  ) {
    this.#index = index;
    this.#sources = sources;
    this.#keys = keys;
    this.#isAfter = isAfter;
    this.#paths = sources.map(() => new BucketTable());
    this.#parents = sources.map(() => []);
  }

  *enter(context: SegmentContext): Generator<void> {
    for (const [at, keys] of this.#keys.entries()) {
      yield* keys.enter(context);
      this.#columns[at] = loadedKeys(keys);
    }
  }

  /** Paths count when they are found: a block of rows can have more than there is memory for. */
  get counted(): number {
    return this.#paths.at(-1)!.size - this.#rejected;
  }

  /** @throws ServiceError `limit_exceeded` if the values of the row form too many tuples */
  load(row: number): number {
    // path: tuples
    this.#rowSteps = 0;
    const count = this.#addTuples(row, 0, 0, 0);
    this.#index.addSteps(this.#rowSteps);
    return count;
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

  /**
   * Adds the tuples of a row that begin with a path of `at` keys, and returns the new number of
   * tuples.
   */
  #addTuples(row: number, at: number, path: number, tupleCountBefore: number): number {
    const column = this.#columns[at];
    if (column === undefined) return this.#add(path, tupleCountBefore);
    const count = column.load(row);
    let tupleCount = tupleCountBefore;
    if (count === 0) {
      if (this.#sources[at]!.missingBucket !== true) return tupleCountBefore;
      return this.#addTuples(row, at + 1, this.#step(at, path, NO_VALUE), tupleCount);
    }
    for (let i = 0; i < count; i++) {
      tupleCount = this.#addTuples(
        row,
        at + 1,
        this.#step(at, path, column.rowKeys[i]! + 1),
        tupleCount,
      );
    }
    return tupleCount;
  }

  #step(at: number, path: number, key: number): number {
    this.#rowSteps += 1;
    if (this.#rowSteps > ROW_STEPS_MAX) throw tooManyTuples();
    const table = this.#paths[at]!;
    const sizeBefore = table.size;
    const next = table.find(path, key);
    if (next === sizeBefore) {
      this.#parents[at]!.push(path);
      this.#index.request.addBuckets(1);
    }
    return next;
  }

  #add(path: number, count: number): number {
    if (this.#isAfter !== null) {
      let isAfter = this.#pathIsAfter[path];
      if (isAfter === undefined) {
        isAfter = this.#isAfter(this.#tuple(path));
        this.#pathIsAfter[path] = isAfter;
        if (!isAfter) this.#rejected += 1;
      }
      if (!isAfter) return count;
    }
    this.rowKeys[count] = path;
    return count + 1;
  }

  #tuple(number: number): Tuple {
    return this.#keys.map((keys, at) => {
      const key = this.#keyAt(number, at);
      return key === NO_VALUE ? null : keys.key(key - 1);
    });
  }

  /** Returns the key of a source in a tuple, as the path has it. */
  #keyAt(number: number, source: number): number {
    let path = number;
    for (let at = this.#keys.length - 1; at > source; at--) path = this.#parents[at]![path]!;
    return this.#paths[source]!.keyOf(path);
  }
}

function tooManyTuples(): ServiceError {
  const cause = `composite: the values of one document form more than ${ROW_STEPS_MAX} buckets: use fewer sources with several values`;
  return new ServiceError('limit_exceeded', cause, { causes: [cause] });
}
