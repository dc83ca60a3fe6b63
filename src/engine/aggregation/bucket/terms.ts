// `terms`: one bucket for each value. With a minimum of 0 also for values that only other documents have; which these
// are is gathered over all segments, so that no bucket depends on where its rows stand.
import type { BucketAggregation } from '../../../query/aggregation/aggregation.ts';
import { isLive } from '../../index/live-docs.ts';
import type { Collector, CreateCollector, IndexAggregation, SegmentPlace } from '../collector.ts';
import { Inside } from '../inside.ts';
import type { Key } from '../intermediate.ts';
import type { IndexKeys } from '../keys/index-keys.ts';
import { keyFilter } from '../keys/key-filter.ts';
import { keysOf } from '../keys/keys-of.ts';
import { loadedKeys, numberOf } from '../keys/loaded-keys.ts';
import { firstBuckets } from './chosen.ts';
import { KeyedCollector } from './keyed.ts';

const STEPS_PER_YIELD = 4096;

type Terms = Extract<BucketAggregation, { readonly kind: 'terms' }>;

export function termsCollector(
  aggregation: Terms,
  index: IndexAggregation,
  create: CreateCollector,
): Collector {
  const { source, missing, minDocCount } = aggregation;
  const filter = keyFilter(aggregation.include, aggregation.exclude);
  const keys = keysOf(source, index, { missing, filter });
  const inside = new Inside(aggregation.aggregations, index, create);
  const alone = index.request.indices === 1;
  // A document and its elements lie in one segment; another index may have the same id.
  const least = source.kind === 'id' && alone ? minDocCount : 0;
  // Keys without rows are told, too, and which of those with rows are behind them is only known then.
  const choose = alone && minDocCount > 0 ? firstBuckets(aggregation) : null;
  const collector = new KeyedCollector(index, keys, inside, { least, choose });
  if (minDocCount > 0) return collector;
  return new LiveKeys(aggregation, keysOf(source, index, { filter }), collector);
}

/** Also says which keys some live row has. */
class LiveKeys implements Collector {
  readonly #aggregation: Terms;
  readonly #keys: IndexKeys;
  readonly #buckets: Collector;

  constructor(aggregation: Terms, keys: IndexKeys, buckets: Collector) {
    this.#aggregation = aggregation;
    this.#keys = keys;
    this.#buckets = buckets;
  }

  *enter(place: SegmentPlace): Generator<void> {
    yield* this.#keys.enter(place);
    const { request } = place.index;
    request.addKeys(this.#aggregation, yield* liveKeys(this.#keys, place));
    yield* this.#buckets.enter(place);
  }

  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    this.#buckets.collect(rows, buckets, count);
  }

  collectSet(rows: Uint32Array | null): Generator<void> {
    return this.#buckets.collectSet(rows);
  }

  leave(): Generator<void> {
    return this.#buckets.leave();
  }

  result(bucket: number) {
    return this.#buckets.result(bucket);
  }
}

/** The keys that some live row has. */
function* liveKeys(keys: IndexKeys, place: SegmentPlace): Generator<void, Set<Key>> {
  const found = new Set<Key>();
  for (const number of yield* liveNumbers(keys, place)) {
    if (number >= 0) found.add(keys.key(number));
    if (found.size % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
  }
  return found;
}

function* liveNumbers(
  keys: IndexKeys,
  { index, view, table }: SegmentPlace,
): Generator<void, Set<number>> {
  const numbers = new Set<number>();
  const { parent, rowCount } = table ?? { parent: null, rowCount: 0 };
  const on = index.views[view]!;
  if (on.liveDocs === null && keys.column.kind === 'placed') {
    // Each key of the segment is in some row.
    for (let ord = 0; ord < keys.column.size; ord++) {
      numbers.add(numberOf(keys, ord));
      if (ord % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    }
    return numbers;
  }
  const column = loadedKeys(keys);
  for (let row = 0; row < rowCount; row++) {
    if (row % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    if (!isLive(on, parent === null ? row : parent[row]!)) continue;
    const count = column.load(row);
    for (let at = 0; at < count; at++) numbers.add(column.found[at]!);
  }
  return numbers;
}
