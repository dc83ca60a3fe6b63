// One bucket as it is asked for and read: what every kind that makes buckets is made of.
import {
  type Bucket,
  type Intermediate,
  type Key,
  merge,
} from '../../../engine/aggregation/intermediate.ts';
import type { Json } from '../query-to-body.ts';
import { type AggregationPlace, type Found, foundAt, type Inside } from './aggregation-question.ts';

/** One bucket with what is inside. */
export function bucketQuestion(
  name: string,
  body: Json,
  inside: Inside,
): { readonly aggs: Readonly<Record<string, Json>>; read(found: Found): Bucket } {
  return {
    aggs: { [name]: { ...body, aggs: inside.aggs } },
    read: (found) => bucketOf(foundAt(found, name), inside),
  };
}

export function bucketOf(found: Found, inside: Inside): Bucket {
  return { docCount: found.doc_count ?? 0, subResults: inside.read(found) };
}

/** Adds a bucket that has rows to those of the same aggregation. */
export function addBucket(
  buckets: Map<Key, Bucket>,
  key: Key,
  bucket: Bucket,
  { request }: AggregationPlace,
): void {
  if (bucket.docCount === 0) return;
  request.addBuckets(1);
  const into: Intermediate = { kind: 'buckets', buckets };
  const added = merge(into, { kind: 'buckets', buckets: new Map([[key, bucket]]) });
  while (added.next().done !== true);
}

/** Zero has one sign. */
export function keyOf(key: Key): Key {
  return key === 0 ? 0 : key;
}
