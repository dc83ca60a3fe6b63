// One bucket as it is requested and read; all kinds with buckets use it.

import {
  type Bucket,
  type Intermediate,
  type Key,
  merge,
} from '../../../engine/aggregation/collecting/intermediate.ts';
import { runSteps } from '../../../query/steps.ts';
import type { Json } from '../requests/query-to-body.ts';
import {
  type AggregationResponse,
  type AggregationScope,
  answerAt,
  type SubAggregations,
} from './aggregation-request.ts';

/** One bucket with its sub-aggregations. */
export function bucketRequest(
  name: string,
  body: Json,
  inside: SubAggregations,
): { readonly aggs: Readonly<Record<string, Json>>; read(answer: AggregationResponse): Bucket } {
  return {
    aggs: { [name]: { ...body, aggs: inside.aggs } },
    read: (answer) => bucketOf(answerAt(answer, name), inside),
  };
}

export function bucketOf(answer: AggregationResponse, inside: SubAggregations): Bucket {
  return { docCount: answer.doc_count ?? 0, subResults: inside.read(answer) };
}

/** Adds a bucket to those of the same aggregation, unless it has no rows. */
export function addBucket(
  buckets: Map<Key, Bucket>,
  key: Key,
  bucket: Bucket,
  { request }: AggregationScope,
): void {
  if (bucket.docCount === 0) return;
  request.addBuckets(1);
  const into: Intermediate = { kind: 'buckets', buckets };
  const added = merge(into, { kind: 'buckets', buckets: new Map([[key, bucket]]) });
  runSteps(added);
}

/** Replaces -0 by 0. */
export function keyOf(key: Key): Key {
  return key === 0 ? 0 : key;
}
