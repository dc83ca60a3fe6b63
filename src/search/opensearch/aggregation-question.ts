// What the parts of an aggregation request share: a question with the way to read its answer, and the limits of both.
import type { Intermediate, Key } from '../../engine/aggregation/intermediate.ts';
import { ServiceError } from '../../errors.ts';
import type { BucketAggregation } from '../../query/aggregation.ts';
import type { Mapping } from '../../query/mapping.ts';
import type { Json } from './query-to-body.ts';

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

/** Whose rows are aggregated. */
export interface AggregationPlace {
  readonly mapping: Mapping;
  /** null for documents. */
  readonly path: string | null;
  /** Terms that also have buckets for what only other rows have, with their place. */
  readonly wanting: { readonly form: Terms; readonly place: AggregationPlace }[];
}

export type Terms = Extract<BucketAggregation, { readonly kind: 'terms' }>;

/** OpenSearch makes no more buckets by default (`search.max_buckets`). */
const BUCKETS_MAX = 65_535;

/** Member of an answer. */
export function foundAt(found: Found, name: string): Found {
  return (found[name] ?? {}) as Found;
}

/** @throws ServiceError `limit_exceeded` where OpenSearch kept some back */
export function wholeBuckets(found: Found): readonly (Found & { readonly key: Key })[] {
  if ((found.sum_other_doc_count ?? 0) > 0) {
    const cause = `An aggregation has more than ${BUCKETS_MAX} values, which is more than OpenSearch gives: narrow the query or filter the values`;
    throw new ServiceError('limit_exceeded', cause, { causes: [cause] });
  }
  return found.buckets ?? [];
}

/** Every value of a field. */
export function everyTerm(field: string, include?: readonly string[]): Json {
  return { field, size: BUCKETS_MAX, ...(include === undefined ? {} : { include }) };
}

/** @param what as requests name it */
export function notServed(what: string): ServiceError {
  return new ServiceError('request_invalid', `${what} is not served with OpenSearch.`, {
    causes: [
      `CARDEA_SEARCH_URL names an OpenSearch; the embedded engine serves aggregations of the kind ${what}`,
    ],
  });
}
