// The order of buckets, and the first ones of it. A metric inside is only calculated where it decides.
import type { Aggregation, Aggregations, BucketOrder } from '../../query/aggregation.ts';
import type { Bucket, Intermediate, Key } from './intermediate.ts';
import { compareKeys } from './key-order.ts';
import { metricValue } from './metric/results.ts';

export type KeyedBucket = readonly [Key, Bucket];

interface Ranked {
  readonly entry: KeyedBucket;
  readonly values: readonly number[];
}

const STEPS_PER_YIELD = 4096;

/**
 * Sorts buckets and keeps the first ones.
 * @param indices the aggregations inside, as each index has them
 */
export function bucketSorter(order: readonly BucketOrder[], indices: readonly Aggregations[]) {
  const metrics = order.map((criterion) => readerOf(criterion, indices));
  const compare = (a: Ranked, b: Ranked): number => {
    for (const [at, criterion] of order.entries()) {
      const compared = compareBy(criterion, a, b, at);
      if (compared !== 0) return compared;
    }
    return compareKeys(a.entry[0], b.entry[0]);
  };
  /** `rest`: how many documents the other buckets have that were large enough. */
  return function* sorted(
    buckets: Iterable<KeyedBucket>,
    minDocCount: number,
    size: number,
  ): Generator<void, { readonly top: readonly KeyedBucket[]; readonly rest: number }> {
    let kept: Ranked[] = [];
    let total = 0;
    let steps = 0;
    // Twice as many as wanted are gathered before the worse half is dropped.
    const gathered = Math.max(2 * size, 1024);
    const prune = (): void => {
      kept.sort(compare);
      kept = kept.slice(0, size);
    };
    for (const entry of buckets) {
      steps += 1;
      if (steps % STEPS_PER_YIELD === 0) yield;
      const [, bucket] = entry;
      if (bucket.docCount < minDocCount) continue;
      total += bucket.docCount;
      kept.push({ entry, values: metrics.map((read) => read?.(bucket) ?? 0) });
      if (kept.length >= gathered) prune();
    }
    prune();
    const shown = kept.reduce((sum, { entry }) => sum + entry[1].docCount, 0);
    return { top: kept.map(({ entry }) => entry), rest: total - shown };
  };
}

function compareBy(criterion: BucketOrder, a: Ranked, b: Ranked, at: number): number {
  const sign = criterion.order === 'asc' ? 1 : -1;
  switch (criterion.by) {
    case 'count':
      return sign * (a.entry[1].docCount - b.entry[1].docCount);
    case 'key':
      return sign * compareKeys(a.entry[0], b.entry[0]);
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
