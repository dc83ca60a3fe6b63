// The parts of an aggregation request: aggregations with the function that reads their answer, and
// the limits of both.

import type { RequestAggregation } from '../../../engine/aggregation/collecting/collector.ts';
import type { Intermediate, Key } from '../../../engine/aggregation/collecting/intermediate.ts';
import type { Aggregations, BucketAggregation } from '../../../query/aggregation.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import { BUCKETS_MAX, TooManyBuckets } from '../requests/bucket-limit.ts';
import type { Json } from '../requests/query-to-body.ts';
import type { NamedDocuments } from './named-documents.ts';

/** Part of OpenSearch's answer: one aggregation or one bucket. */
export interface AggregationResponse {
  readonly doc_count?: number;
  readonly buckets?: readonly (AggregationResponse & { readonly key: Key })[];
  readonly sum_other_doc_count?: number;
  readonly [name: string]: unknown;
}

/** OpenSearch's aggregations for one of the plan's, and the function that reads the answer. */
export interface AggregationRequest {
  readonly aggs: Readonly<Record<string, Json>>;
  /** @param answer the answer that contains these aggregations: that of a bucket, or the whole */
  read(answer: AggregationResponse): Intermediate | undefined;
}

/** All aggregations of one level. */
export interface SubAggregations {
  readonly aggs: Readonly<Record<string, Json>>;
  read(answer: AggregationResponse): (Intermediate | undefined)[];
}

/** Builds the aggregations of a level; passed to kinds that have sub-aggregations. */
export type BuildSubAggregations = (
  aggregations: Aggregations,
  scope: AggregationScope,
) => SubAggregations;

/** The rows that an aggregation is about. */
export interface AggregationScope {
  readonly mapping: Mapping;
  /** null for documents; UNMAPPED_PATH for elements whose path the index does not have. */
  readonly path: string | null;
  /** Whether documents have scores here. */
  readonly scored: boolean;
  /**
   * Whether OpenSearch may choose the buckets that are returned. Its choice is exact only where all
   * rows are in one shard and no two of its buckets become one here; otherwise all buckets are
   * requested, because each may be completed by another.
   */
  readonly chooses: boolean;
  /** Whether OpenSearch takes its own `composite` here: below nothing but `nested` and `filter`. */
  readonly takesComposite: boolean;
  /** Restricts the documents to a part of the index; null: all. */
  readonly part: Json | null;
  /** Index of the target in the request. */
  readonly target: number;
  /** Counts the buckets of the request. */
  readonly request: RequestAggregation;
  /** The documents of `top_hits`. */
  readonly documents: NamedDocuments;
  /** Terms of which OpenSearch chooses the buckets with the most or the fewest rows. */
  readonly countedTerms: Terms[];
  /** Terms that also have buckets for keys of other rows, with their scope. */
  readonly zeroCountTerms: { readonly form: Terms; readonly scope: AggregationScope }[];
}

/** The path of elements that the index does not map. */
export const UNMAPPED_PATH = '';

export type Terms = Extract<BucketAggregation, { readonly kind: 'terms' }>;

/** A member of an answer; empty if absent. */
export function answerAt(answer: AggregationResponse, name: string): AggregationResponse {
  return (answer[name] ?? {}) as AggregationResponse;
}

/** @throws TooManyBuckets if OpenSearch left some out */
export function completeBuckets(
  answer: AggregationResponse,
): readonly (AggregationResponse & { readonly key: Key })[] {
  if ((answer.sum_other_doc_count ?? 0) > 0) throw new TooManyBuckets();
  return answer.buckets ?? [];
}

/** Every value of a field, in the order in which OpenSearch merges the answers of shards. */
export function allTerms(field: string, include?: readonly string[] | string): Json {
  return { field, size: BUCKETS_MAX, ...(include === undefined ? {} : { include }) };
}
