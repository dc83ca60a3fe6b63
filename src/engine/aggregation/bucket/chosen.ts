// The buckets that are told, chosen by their numbers before any key is spelt out: of a request over one index nobody
// can add to them any more.
import type { Aggregations, BucketOrder } from '../../../query/aggregation/aggregation.ts';
import { bucketSorter } from '../bucket-order.ts';
import type { Bucket } from '../intermediate.ts';

export interface Chosen {
  /** Numbers of buckets. */
  readonly among: Iterable<number>;
  /** How many documents the others have, as far as they have enough. */
  readonly rest: number;
}

/** Chooses among buckets. */
export type Choose = (buckets: Int32Array, candidates: Candidates) => Generator<void, Chosen>;

/** The buckets that are chosen among, by their numbers. */
export interface Candidates {
  docCount(bucket: number): number;
  /** In the order of keys. */
  compareKeys(left: number, right: number): number;
  /** With what is inside. */
  told(bucket: number): Generator<void, Bucket>;
}

interface TermsForm {
  readonly order: readonly BucketOrder[];
  readonly minDocCount: number;
  readonly size: number;
  readonly aggregations: Aggregations;
}

/** The first buckets in an order. */
export function firstBuckets({ order, minDocCount, size, aggregations }: TermsForm): Choose {
  const sorted = bucketSorter(order, [aggregations]);
  const byMetric = order.some(({ by }) => by === 'metric');
  return function* (buckets, candidates) {
    const told = new Map<number, Bucket>();
    if (byMetric) {
      for (const bucket of buckets) {
        if (candidates.docCount(bucket) < minDocCount) continue;
        told.set(bucket, yield* candidates.told(bucket));
      }
    }
    const ranking = rankingOf(candidates, told);
    const { top, rest } = yield* sorted(buckets, ranking, minDocCount, size);
    return { among: top, rest };
  };
}

/** The first tuples: in the order of their keys. */
export function firstTuples(size: number): Choose {
  return function* (buckets, candidates) {
    const order = [{ by: 'key', order: 'asc' }] as const;
    const { top, rest } = yield* bucketSorter(order, [])(buckets, rankingOf(candidates), 1, size);
    return { among: top, rest };
  };
}

function rankingOf(candidates: Candidates, told: ReadonlyMap<number, Bucket> = new Map()) {
  return {
    docCount: (bucket: number) => candidates.docCount(bucket),
    compareKeys: (a: number, b: number) => candidates.compareKeys(a, b),
    bucket: (bucket: number) => told.get(bucket) ?? EMPTY,
  };
}

const EMPTY: Bucket = { docCount: 0, inside: [] };
