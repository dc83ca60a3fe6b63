// Results of aggregations over part of the documents. They are merged over indices and turned into
// a response once, at the end. Buckets are merged by key, never by the number they have within an
// index.
// Invariant: merging is associative, so the result does not depend on how documents are spread.
import type { DistinctKeys } from './distinct-keys.ts';
import { addSum, newSum, type Sum } from './exact-sum.ts';
import type { TDigest } from './t-digest.ts';

/**
 * The key of a bucket: a value for terms and histograms, a number for ranges and filters, a tuple
 * as JSON for composite.
 */
export type Key = string | number;

export interface Bucket {
  docCount: number;
  /** In the order of the sub-aggregations; undefined for those that collected nothing. */
  readonly subResults: (Intermediate | undefined)[];
}

export interface Stats {
  count: number;
  /** Of the values, where an aggregation needs it. */
  readonly sum: Sum;
  /** The sum of the squares, each rounded to a double; null if the aggregation does not need it. */
  squares: Sum | null;
  min: number;
  max: number;
}

/** A row that `top_hits` may return. */
export interface HitCandidate {
  /** The number of its index within the request. */
  readonly target: number;
  /** Rows of one view are in the order of their ids; rows of several views are compared by id. */
  readonly view: number;
  /** The row of the document in the root table. */
  readonly row: number;
  /** The nested path of an element and its offset in the array; null for documents. */
  readonly element: { readonly path: string; readonly offset: number } | null;
  readonly score: number;
  readonly sort: readonly (string | number | null)[];
}

export type Intermediate =
  | {
      readonly kind: 'buckets';
      readonly buckets: Map<Key, Bucket>;
      /**
       * If only the top buckets are kept: the number of documents in the other buckets that reach
       * the minimum count.
       */
      readonly rest?: number;
    }
  | { readonly kind: 'bucket'; readonly bucket: Bucket }
  | { readonly kind: 'stats'; readonly stats: Stats }
  | { readonly kind: 'distinct'; readonly keys: DistinctKeys }
  /** The number of distinct keys, when no other index can add to them. */
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'digest'; readonly digest: TDigest }
  | {
      readonly kind: 'hits';
      total: number;
      maxScore: number;
      readonly candidates: HitCandidate[];
    };

const STEPS_PER_YIELD = 4096;

/** Merges `from` into `into`, both results of the same aggregation; either may be undefined. */
export function* merge(
  into: Intermediate | undefined,
  from: Intermediate | undefined,
): Generator<void, Intermediate | undefined> {
  if (into === undefined || from === undefined) return into ?? from;
  if (into.kind === 'buckets' && from.kind === 'buckets') {
    yield* mergeBuckets(into.buckets, from.buckets);
  } else if (into.kind === 'bucket' && from.kind === 'bucket') {
    yield* mergeBucket(into.bucket, from.bucket);
  } else if (into.kind === 'stats' && from.kind === 'stats') {
    mergeStats(into.stats, from.stats);
  } else if (into.kind === 'distinct' && from.kind === 'distinct') {
    yield* into.keys.addAll(from.keys);
  } else if (into.kind === 'digest' && from.kind === 'digest') {
    into.digest.addAll(from.digest);
  } else if (into.kind === 'hits' && from.kind === 'hits') {
    into.total += from.total;
    into.maxScore = Math.max(into.maxScore, from.maxScore);
    into.candidates.push(...from.candidates);
  } else {
    throw new TypeError(`Results of ${into.kind} and ${from.kind} do not merge`);
  }
  return into;
}

export function newStats(): Stats {
  return {
    count: 0,
    sum: newSum(),
    squares: null,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  };
}

function* mergeBuckets(into: Map<Key, Bucket>, from: Map<Key, Bucket>): Generator<void> {
  let steps = 0;
  for (const [key, bucket] of from) {
    const existing = into.get(key);
    if (existing === undefined) into.set(key, bucket);
    else yield* mergeBucket(existing, bucket);
    steps += 1;
    if (steps % STEPS_PER_YIELD === 0) yield;
  }
}

function* mergeBucket(into: Bucket, from: Bucket): Generator<void> {
  into.docCount += from.docCount;
  const count = Math.max(into.subResults.length, from.subResults.length);
  for (let i = 0; i < count; i++) {
    into.subResults[i] = yield* merge(into.subResults[i], from.subResults[i]);
  }
}

function mergeStats(into: Stats, from: Stats): void {
  into.count += from.count;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
  addSum(into.sum, from.sum);
  if (from.squares === null) return;
  into.squares ??= newSum();
  addSum(into.squares, from.squares);
}
