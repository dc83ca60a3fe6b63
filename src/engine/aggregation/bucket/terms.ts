// `terms`: one bucket for each value. With a minimum of 0 also for values that only other
// documents have; which these are is gathered over all segments, so that no bucket depends on where its rows stand.
import type { BucketAggregation } from '../../../query/aggregation.ts';
import { isLive } from '../../index/live-docs.ts';
import { type Collector, type CreateCollector, insideOf, type SegmentPlace } from '../collector.ts';
import type { Key } from '../intermediate.ts';
import { type KeyColumn, keyColumn, withFilter, withMissing } from '../key-column.ts';
import { KeyedCollector } from './keyed.ts';

const STEPS_PER_YIELD = 4096;

type Terms = Extract<BucketAggregation, { readonly kind: 'terms' }>;

export function* termsCollector(
  aggregation: Terms,
  place: SegmentPlace,
  create: CreateCollector,
): Generator<void, Collector> {
  const { source, include, exclude, missing } = aggregation;
  const keys = withFilter(withMissing(keyColumn(source, place), missing), include, exclude);
  const inside = yield* insideOf(aggregation.aggregations, place, create);
  if (aggregation.minDocCount === 0) {
    const plain = withFilter(keyColumn(source, place), include, exclude);
    place.index.request.addKeys(aggregation, yield* liveKeys(plain, place));
  }
  // A document and its elements lie in one segment; another index may have the same id.
  const alone = source.kind === 'id' && place.index.request.indices === 1;
  const least = alone ? aggregation.minDocCount : 0;
  return new KeyedCollector(place.index, keys, inside, least);
}

/** The keys that some live row has. */
function* liveKeys(
  keys: KeyColumn,
  { index, view, table }: SegmentPlace,
): Generator<void, Set<Key>> {
  const ords = new Set<number>();
  const { parent, rowCount } = table ?? { parent: null, rowCount: 0 };
  const on = index.views[view]!;
  for (let row = 0; row < rowCount; row++) {
    if (row % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
    if (!isLive(on, parent === null ? row : parent[row]!)) continue;
    const count = keys.load(row);
    for (let i = 0; i < count; i++) ords.add(keys.found[i]!);
  }
  const found = new Set<Key>();
  for (const ord of ords) {
    found.add(keys.key(ord));
    if (found.size % STEPS_PER_YIELD === 0) yield;
  }
  return found;
}
