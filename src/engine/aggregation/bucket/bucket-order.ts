// Sorts buckets and keeps the top ones. A metric is only calculated where the order depends on it.
import type { Aggregation, Aggregations, BucketOrder } from '../../../query/aggregation.ts';
import type { Bucket, Intermediate, Key } from '../collecting/intermediate.ts';
import { compareKeys } from '../keys/key-order.ts';
import { metricValue } from '../metric/results.ts';

/** Reads what items are ordered by. */
export interface Ranking<Item> {
  docCount(item: Item): number;
  compareKeys(left: Item, right: Item): number;
  /** Called only if a metric is part of the order. */
  bucket(item: Item): Bucket;
}

export type KeyedBucket = readonly [Key, Bucket];

/** Ranks buckets with their keys. */
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

/** Sorts buckets and keeps the top ones. */
export class BucketSorter {
  /** Whether a metric is part of the order. */
  readonly byMetric: boolean;
  readonly #order: readonly BucketOrder[];
  readonly #metrics: readonly (((bucket: Bucket) => number) | null)[];

  /** @param indices the sub-aggregations, as each index has them */
  constructor(order: readonly BucketOrder[], indices: readonly Aggregations[]) {
    this.#order = order;
    this.#metrics = order.map((criterion) => readerOf(criterion, indices));
    this.byMetric = this.#metrics.some((read) => read !== null);
  }

  /** `rest`: the number of documents in the other buckets that reach the minimum count. */
  *sort<Item>(
    items: Iterable<Item>,
    ranking: Ranking<Item>,
    minDocCount: number,
    size: number,
  ): Generator<void, { readonly top: readonly Item[]; readonly rest: number }> {
    const compare = (a: Ranked<Item>, b: Ranked<Item>): number => {
      for (let at = 0; at < this.#order.length; at++) {
        const compared = compareBy(this.#order[at]!, a, b, at, ranking);
        if (compared !== 0) return compared;
      }
      return ranking.compareKeys(a.item, b.item);
    };
    const valuesOf = (item: Item): readonly number[] => {
      const bucket = ranking.bucket(item);
      return this.#metrics.map((read) => read?.(bucket) ?? 0);
    };
    const top: Ranked<Item>[] = [];
    // The last of the top items, and a reused item to compare with it, so that most items allocate
    // nothing.
    let worst: Ranked<Item> | null = null;
    let probe: Ranked<Item> | null = null;
    let total = 0;
    let steps = 0;
    // Prunes only when twice as many items as needed have been collected.
    const pruneAt = Math.max(2 * size, 1024);
    const prune = (): void => {
      top.sort(compare);
      if (top.length > size) top.length = size;
      if (top.length === size) worst = top.at(-1) ?? null;
    };
    for (const item of items) {
      steps += 1;
      if (steps % STEPS_PER_YIELD === 0) yield;
      const docCount = ranking.docCount(item);
      if (docCount < minDocCount) continue;
      total += docCount;
      const values = this.byMetric ? valuesOf(item) : NO_VALUES;
      if (worst !== null && probe !== null) {
        probe.item = item;
        probe.docCount = docCount;
        probe.values = values;
        if (compare(probe, worst) > 0) continue;
      }
      probe ??= { item, docCount, values };
      top.push({ item, docCount, values });
      if (top.length >= pruneAt) prune();
    }
    prune();
    const shown = top.reduce((sum, { docCount }) => sum + docCount, 0);
    return { top: top.map(({ item }) => item), rest: total - shown };
  }
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
      // A missing value (NaN) sorts last in both directions.
      if (Number.isNaN(left) || Number.isNaN(right)) {
        return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
      }
      return left === right ? 0 : sign * (left < right ? -1 : 1);
    }
  }
}

/** Returns a function that reads the metric of a criterion from a bucket. */
function readerOf(
  criterion: BucketOrder,
  indices: readonly Aggregations[],
): ((bucket: Bucket) => number) | null {
  if (criterion.by !== 'metric') return null;
  const steps: number[] = [];
  let level = indices;
  let candidates: readonly Aggregation[] = [];
  for (const name of criterion.path) {
    steps.push(Object.keys(level[0] ?? {}).indexOf(name));
    candidates = level.flatMap((aggregations) => aggregations[name] ?? []);
    level = candidates.flatMap((aggregation) =>
      'aggregations' in aggregation ? [aggregation.aggregations] : [],
    );
  }
  const metric = candidates[0];
  return (bucket) => {
    let result: Intermediate | undefined = { kind: 'bucket', bucket };
    for (const step of steps) {
      result = result?.kind === 'bucket' ? result.bucket.subResults[step] : undefined;
    }
    if (criterion.property === '_count' || metric === undefined || 'aggregations' in metric) {
      return result?.kind === 'bucket' ? result.bucket.docCount : 0;
    }
    return metric.kind === 'topHits' ? Number.NaN : metricValue(metric, result, criterion.property);
  };
}
