// `terms`: one bucket per value. With `min_doc_count` 0 there are also buckets for values of live
// documents that do not match. Those values are collected over all segments, so that no bucket
// depends on the segment of its rows.
import type { BucketAggregation } from '../../../query/aggregation.ts';
import { isLive } from '../../sections/live-docs.ts';
import type {
  Collector,
  CreateCollector,
  IndexAggregation,
  SegmentContext,
} from '../collecting/collector.ts';
import type { Key } from '../collecting/intermediate.ts';
import type { CountedSet } from '../collecting/rows.ts';
import { SubAggregations } from '../collecting/sub-aggregations.ts';
import type { IndexKeys } from '../keys/index-keys.ts';
import { keyFilter } from '../keys/key-filter.ts';
import { keysOf } from '../keys/keys-of.ts';
import { loadedKeys, numberOf } from '../keys/loaded-keys.ts';
import { topBuckets } from './bucket-selection.ts';
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
  const subAggregations = new SubAggregations(aggregation.aggregations, index, create);
  const singleIndex = index.request.indices === 1;
  // With empty buckets in the response, the order is only known once all keys have been collected.
  const select = singleIndex && minDocCount > 0 ? topBuckets(aggregation) : null;
  const collector = new KeyedCollector(index, keys, subAggregations, select);
  if (minDocCount > 0) return collector;
  return new LiveKeysCollector(aggregation, keysOf(source, index, { filter }), collector);
}

/** Also collects the keys that any live row has. */
class LiveKeysCollector implements Collector {
  readonly #aggregation: Terms;
  readonly #keys: IndexKeys;
  readonly #buckets: Collector;

  constructor(aggregation: Terms, keys: IndexKeys, buckets: Collector) {
    this.#aggregation = aggregation;
    this.#keys = keys;
    this.#buckets = buckets;
  }

  *enter(context: SegmentContext): Generator<void> {
    yield* this.#keys.enter(context);
    const { request } = context.index;
    request.addKeys(this.#aggregation, yield* liveKeysOf(this.#keys, context));
    yield* this.#buckets.enter(context);
  }

  collect(rows: Int32Array, buckets: Int32Array | null, count: number): void {
    this.#buckets.collect(rows, buckets, count);
  }

  collectSet(set: CountedSet): Generator<void> {
    return this.#buckets.collectSet(set);
  }

  leave(): Generator<void> {
    return this.#buckets.leave();
  }

  result(bucket: number) {
    return this.#buckets.result(bucket);
  }
}

/** Returns the keys that any live row has. */
function* liveKeysOf(keys: IndexKeys, context: SegmentContext): Generator<void, Set<Key>> {
  const liveKeySet = new Set<Key>();
  for (const number of yield* liveKeyNumbers(keys, context)) {
    if (number >= 0) liveKeySet.add(keys.key(number));
    if (liveKeySet.size % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
  }
  return liveKeySet;
}

function* liveKeyNumbers(
  keys: IndexKeys,
  { index, view, table }: SegmentContext,
): Generator<void, Set<number>> {
  const numbers = new Set<number>();
  const { parent, rowCount } = table ?? { parent: null, rowCount: 0 };
  const segmentView = index.views[view]!;
  if (segmentView.liveDocs === null && keys.column.kind === 'ordinals') {
    // Each key of the segment has at least one row.
    for (let ord = 0; ord < keys.column.size; ord++) {
      numbers.add(numberOf(keys, ord));
      if (ord % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    }
    return numbers;
  }
  const column = loadedKeys(keys);
  for (let row = 0; row < rowCount; row++) {
    if (row % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    if (!isLive(segmentView, parent === null ? row : parent[row]!)) continue;
    const count = column.load(row);
    for (let at = 0; at < count; at++) numbers.add(column.rowKeys[at]!);
  }
  return numbers;
}
