// What the parts of an aggregation request share: a question with the way to read its answer, and
// the limits of both.

import type { RequestAggregation } from '../../../engine/aggregation/collector.ts';
import type { Intermediate, Key } from '../../../engine/aggregation/intermediate.ts';
import type { Aggregations, BucketAggregation } from '../../../query/aggregation/aggregation.ts';
import type { Mapping } from '../../../query/mapping/mapping.ts';
import type { Json } from '../query-to-body.ts';
import { BUCKETS_MAX, TooManyBuckets } from './bucket-limit.ts';
import type { NamedDocuments } from './named-documents.ts';

/** Part of OpenSearch's answer: one aggregation or one bucket. */
export interface Found {
  readonly doc_count?: number;
  readonly buckets?: readonly (Found & { readonly key: Key })[];
  readonly sum_other_doc_count?: number;
  readonly [name: string]: unknown;
}

/** What is asked of OpenSearch for one aggregation. */
export interface Question {
  readonly aggs: Readonly<Record<string, Json>>;
  /** @param found the bucket, or the whole, that holds what was asked for */
  read(found: Found): Intermediate | undefined;
}

/** All aggregations of one level. */
export interface Inside {
  readonly aggs: Readonly<Record<string, Json>>;
  read(found: Found): (Intermediate | undefined)[];
}

/** Makes the questions of a level; handed to kinds that have some inside. */
export type AskInside = (aggregations: Aggregations, place: AggregationPlace) => Inside;

/** Whose rows are aggregated. */
export interface AggregationPlace {
  readonly mapping: Mapping;
  /** null for documents; NOWHERE for elements that the index does not have. */
  readonly path: string | null;
  /** Whether documents have scores here. */
  readonly scored: boolean;
  /** The documents that are asked at all, where these are a part of the index. */
  readonly part: Json | null;
  /** Which of the request's indices. */
  readonly target: number;
  /** Counts the buckets of the request. */
  readonly request: RequestAggregation;
  /** The documents that `top_hits` names. */
  readonly documents: NamedDocuments;
  /** Terms that also have buckets for what only other rows have, with their place. */
  readonly wanting: { readonly form: Terms; readonly place: AggregationPlace }[];
}

/** The path of elements that an index does not have. */
export const NOWHERE = '';

export type Terms = Extract<BucketAggregation, { readonly kind: 'terms' }>;

/** Member of an answer. */
export function foundAt(found: Found, name: string): Found {
  return (found[name] ?? {}) as Found;
}

/** @throws TooManyBuckets where OpenSearch kept some back */
export function wholeBuckets(found: Found): readonly (Found & { readonly key: Key })[] {
  if ((found.sum_other_doc_count ?? 0) > 0) throw new TooManyBuckets();
  return found.buckets ?? [];
}

/** Every value of a field. */
export function everyTerm(field: string, include?: readonly string[] | string): Json {
  return { field, size: BUCKETS_MAX, ...(include === undefined ? {} : { include }) };
}
