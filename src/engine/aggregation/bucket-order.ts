// The order of buckets, and the first ones of it. A metric inside is only calculated where it decides.
import type {
  Aggregation,
  Aggregations,
  BucketOrder,
} from '../../query/aggregation/aggregation.ts';
import type { Bucket, Intermediate, Key } from './intermediate.ts';
import { compareKeys } from './keys/key-order.ts';
import { metricValue } from './metric/results.ts';

/** What is known of those that are ordered. */
export interface Ranking<Item> {
  docCount(item: Item): number;
  compareKeys(left: Item, right: Item): number;
  /** Asked only where a metric decides. */
  bucket(item: Item): Bucket;
}

export type KeyedBucket = readonly [Key, Bucket];

/** Buckets with their keys. */
export const KEYED_BUCKETS: Ranking<KeyedBucket> = {
  docCount: ([, bucket]) => bucket.docCount,
  compareKeys: ([left], [right]) => compareKeys(left, right),
  bucket: ([, bucket]) => bucket,
};

interface Ranked<Item> {
  item: Item;
  docCount: number;
  values: readonly number[];
}

const STEPS_PER_YIELD = 4096;
const NO_VALUES: readonly number[] = [];

/**
 * Sorts buckets and keeps the first ones.
 * @param indices the aggregations inside, as each index has them
 */
export function bucketSorter(order: readonly BucketOrder[], indices: readonly Aggregations[]) {
  const metrics = order.map((criterion) => readerOf(criterion, indices));
  const byMetric = metrics.some((read) => read !== null);
  /** `rest`: how many documents the other buckets have that were large enough. */
  return function* sorted<Item>(
    items: Iterable<Item>,
    ranking: Ranking<Item>,
    minDocCount: number,
    size: number,
  ): Generator<void, { readonly top: readonly Item[]; readonly rest: number }> {
    const compare = (a: Ranked<Item>, b: Ranked<Item>): number => {
      for (let at = 0; at < order.length; at++) {
        const compared = compareBy(order[at]!, a, b, at, ranking);
        if (compared !== 0) return compared;
      }
      return ranking.compareKeys(a.item, b.item);
    };
    const valuesOf = (item: Item): readonly number[] => {
      const bucket = ranking.bucket(item);
      return metrics.map((read) => read?.(bucket) ?? 0);
    };
    const kept: Ranked<Item>[] = [];
    // The last of the kept ones, and one to compare with it without making anything for most.
    let worst: Ranked<Item> | null = null;
    let probe: Ranked<Item> | null = null;
    let total = 0;
    let steps = 0;
    // Twice as many as wanted are gathered before the worse half is dropped.
    const gathered = Math.max(2 * size, 1024);
    const prune = (): void => {
      kept.sort(compare);
      if (kept.length > size) kept.length = size;
      if (kept.length === size) worst = kept.at(-1) ?? null;
    };
    for (const item of items) {
      steps += 1;
      if (steps % STEPS_PER_YIELD === 0) yield;
      const docCount = ranking.docCount(item);
      if (docCount < minDocCount) continue;
      total += docCount;
      const values = byMetric ? valuesOf(item) : NO_VALUES;
      if (worst !== null && probe !== null) {
        probe.item = item;
        probe.docCount = docCount;
        probe.values = values;
        if (compare(probe, worst) > 0) continue;
      }
      probe ??= { item, docCount, values };
      kept.push({ item, docCount, values });
      if (kept.length >= gathered) prune();
    }
    prune();
    const shown = kept.reduce((sum, { docCount }) => sum + docCount, 0);
    return { top: kept.map(({ item }) => item), rest: total - shown };
  };
}

function compareBy<Item>(
  criterion: BucketOrder,
  a: Ranked<Item>,
  b: Ranked<Item>,
  at: number,
  ranking: Ranking<Item>,
): number {
  const sign = criterion.order === 'asc' ? 1 : -1;
  switch (criterion.by) {
    case 'count':
      return sign * (a.docCount - b.docCount);
    case 'key':
      return sign * ranking.compareKeys(a.item, b.item);
    case 'metric': {
      const left = a.values[at] ?? Number.NaN;
      const right = b.values[at] ?? Number.NaN;
      // What has no number comes last either way.
      if (Number.isNaN(left) || Number.isNaN(right)) {
        return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
      }
      return left === right ? 0 : sign * (left < right ? -1 : 1);
    }
  }
}

/** Reads the metric that a criterion names out of a bucket. */
function readerOf(
  criterion: BucketOrder,
  indices: readonly Aggregations[],
): ((bucket: Bucket) => number) | null {
  if (criterion.by !== 'metric') return null;
  const steps: number[] = [];
  let level = indices;
  let last: readonly Aggregation[] = [];
  for (const name of criterion.path) {
    steps.push(Object.keys(level[0] ?? {}).indexOf(name));
    last = level.flatMap((aggregations) => aggregations[name] ?? []);
    level = last.flatMap((one) => ('aggregations' in one ? [one.aggregations] : []));
  }
  const metric = last[0];
  return (bucket) => {
    let found: Intermediate | undefined = { kind: 'bucket', bucket };
    for (const step of steps) {
      found = found?.kind === 'bucket' ? found.bucket.inside[step] : undefined;
    }
    if (criterion.property === '_count' || metric === undefined || 'aggregations' in metric) {
      return found?.kind === 'bucket' ? found.bucket.docCount : 0;
    }
    return metric.kind === 'topHits' ? Number.NaN : metricValue(metric, found, criterion.property);
  };
}
