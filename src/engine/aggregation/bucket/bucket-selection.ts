// Selects the buckets of the response by their numbers, before any key is decoded. Used for
// requests over one index, when no other index can add to a bucket.
import type { Aggregations, BucketOrder } from '../../../query/aggregation.ts';
import type { Bucket } from '../collecting/intermediate.ts';
import { BucketSorter } from './bucket-order.ts';

export interface BucketSelection {
  /** Numbers of the selected buckets. */
  readonly buckets: Iterable<number>;
  /** The number of documents in the other buckets that reach the minimum count. */
  readonly rest: number;
}

/** Selects some of the buckets. */
export type BucketSelector = (
  buckets: Int32Array,
  candidates: Candidates,
) => Generator<void, BucketSelection>;

/** The buckets to select from, by number. */
export interface Candidates {
  docCount(bucket: number): number;
  /** Compares in the order of keys. */
  compareKeys(left: number, right: number): number;
  /** Builds the bucket with the results of its sub-aggregations. */
  buildBucket(bucket: number): Generator<void, Bucket>;
}

interface TermsSelection {
  readonly order: readonly BucketOrder[];
  readonly minDocCount: number;
  readonly size: number;
  readonly aggregations: Aggregations;
}

/** Selects the top buckets of an order. */
export function topBuckets({
  order,
  minDocCount,
  size,
  aggregations,
}: TermsSelection): BucketSelector {
  const sorter = new BucketSorter(order, [aggregations]);
  return (buckets, candidates) => selectTop(buckets, candidates, { sorter, minDocCount, size });
}

function* selectTop(
  buckets: Int32Array,
  candidates: Candidates,
  {
    sorter,
    minDocCount,
    size,
  }: Pick<TermsSelection, 'minDocCount' | 'size'> & { readonly sorter: BucketSorter },
): Generator<void, BucketSelection> {
  const built = new Map<number, Bucket>();
  if (sorter.byMetric) {
    for (const bucket of buckets) {
      if (candidates.docCount(bucket) < minDocCount) continue;
      built.set(bucket, yield* candidates.buildBucket(bucket));
    }
  }
  const ranking = rankingOf(candidates, built);
  const { top, rest } = yield* sorter.sort(buckets, ranking, minDocCount, size);
  return { buckets: top, rest };
}

/** Selects the first tuples in the order of their keys. */
export function topTuples(size: number): BucketSelector {
  const sorter = new BucketSorter([{ by: 'key', order: 'asc' }], []);
  return (buckets, candidates) => selectTop(buckets, candidates, { sorter, size, minDocCount: 1 });
}

function rankingOf(candidates: Candidates, built: ReadonlyMap<number, Bucket> = new Map()) {
  return {
    docCount: (bucket: number) => candidates.docCount(bucket),
    compareKeys: (a: number, b: number) => candidates.compareKeys(a, b),
    bucket: (bucket: number) => built.get(bucket) ?? EMPTY,
  };
}

const EMPTY: Bucket = { docCount: 0, subResults: [] };
