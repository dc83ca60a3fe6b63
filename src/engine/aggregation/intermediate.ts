// What aggregations come to over part of the documents: can be merged over indices, and is finished once at the end.
// Buckets are merged by key, never by an index's numbers.
// Invariant: merging is associative, so the result does not depend on how documents are spread.
import type { DistinctKeys } from './metric/distinct-keys.ts';
import type { TDigest } from './metric/t-digest.ts';

/** Keys of terms and histograms; the number of a range or filter; a composite tuple as JSON. */
export type Key = string | number;

export interface Bucket {
  docCount: number;
  /** By the order of the aggregations inside; undefined where nothing was collected. */
  readonly inside: (Intermediate | undefined)[];
}

/** Sums keep what rounding lost (Kahan), so their order hardly matters. */
export interface Stats {
  count: number;
  sum: number;
  lost: number;
  sumOfSquares: number;
  squaresLost: number;
  min: number;
  max: number;
}

/** A row that `top_hits` may return. */
export interface HitCandidate {
  /** Which of the request's indices. */
  readonly target: number;
  /** Two rows of one view stand in id order; of several views their ids decide. */
  readonly view: number;
  /** Of the root table. */
  readonly row: number;
  /** The nested path of an element and its place below; null for documents. */
  readonly element: { readonly path: string; readonly offset: number } | null;
  readonly score: number;
  readonly sort: readonly (string | number | null)[];
}

export type Intermediate =
  | {
      readonly kind: 'buckets';
      readonly buckets: Map<Key, Bucket>;
      /** Where only the first buckets are here: how many documents the others have that had enough. */
      readonly rest?: number;
    }
  | { readonly kind: 'bucket'; readonly bucket: Bucket }
  | { readonly kind: 'stats'; readonly stats: Stats }
  | { readonly kind: 'distinct'; readonly keys: DistinctKeys }
  /** How many distinct keys, where nobody can add to them. */
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'digest'; readonly digest: TDigest }
  | {
      readonly kind: 'hits';
      total: number;
      maxScore: number;
      readonly candidates: HitCandidate[];
    };

const STEPS_PER_YIELD = 4096;

/** Adds `from` to `into`, both of the same aggregation; either may be absent. */
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
    sum: 0,
    lost: 0,
    sumOfSquares: 0,
    squaresLost: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  };
}

function* mergeBuckets(into: Map<Key, Bucket>, from: Map<Key, Bucket>): Generator<void> {
  let steps = 0;
  for (const [key, bucket] of from) {
    const known = into.get(key);
    if (known === undefined) into.set(key, bucket);
    else yield* mergeBucket(known, bucket);
    steps += 1;
    if (steps % STEPS_PER_YIELD === 0) yield;
  }
}

function* mergeBucket(into: Bucket, from: Bucket): Generator<void> {
  into.docCount += from.docCount;
  const count = Math.max(into.inside.length, from.inside.length);
  for (let i = 0; i < count; i++) {
    into.inside[i] = yield* merge(into.inside[i], from.inside[i]);
  }
}

function mergeStats(into: Stats, from: Stats): void {
  into.count += from.count;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
  for (const value of [from.sum, -from.lost]) {
    const corrected = value - into.lost;
    const sum = into.sum + corrected;
    into.lost = Number.isFinite(sum) ? sum - into.sum - corrected : 0;
    into.sum = sum;
  }
  for (const value of [from.sumOfSquares, -from.squaresLost]) {
    const corrected = value - into.squaresLost;
    const sum = into.sumOfSquares + corrected;
    into.squaresLost = Number.isFinite(sum) ? sum - into.sumOfSquares - corrected : 0;
    into.sumOfSquares = sum;
  }
}
