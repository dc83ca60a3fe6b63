// The last phase: merged results become the JSON of the response, bucket by bucket, within a
// budget. Each index has its own form of an aggregation, since the same field may have different
// types; the result follows the first form that has a source.

import {
  type Aggregation,
  type Aggregations,
  type BucketAggregation,
  hasBuckets,
} from '../../query/aggregation.ts';
import { done, mapSteps } from '../../query/steps.ts';
import { BucketSorter, KEYED_BUCKETS } from './bucket/bucket-order.ts';
import { compositeResult } from './bucket/composite-result.ts';
import { histogramResult } from './bucket/histogram-result.ts';
import type { Bucket, Intermediate, Key } from './collecting/intermediate.ts';
import {
  type BucketContext,
  type BuildSubResults,
  NO_SUB_RESULTS,
  type ResultContext,
  withSubResults,
} from './collecting/result-context.ts';
import { hitsResult } from './metric/hits-result.ts';
import { metricResult, printerOf } from './metric/results.ts';

/** @param results in the order of the aggregations */
export function* finishAll(
  indices: readonly Aggregations[],
  results: readonly (Intermediate | undefined)[],
  context: ResultContext,
): Generator<void, Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (const [at, name] of Object.keys(indices[0] ?? {}).entries()) {
    const forms = indices.flatMap((aggregations) => aggregations[name] ?? []);
    entries.push([name, yield* finish(forms, results[at], context)]);
  }
  return Object.fromEntries(entries);
}

function finish(
  forms: readonly Aggregation[],
  result: Intermediate | undefined,
  context: ResultContext,
): Generator<void, Record<string, unknown>> {
  const form = firstWithSource(forms);
  if (!hasBuckets(form)) {
    return form.kind === 'topHits'
      ? hitsResult(form, result, context)
      : done(metricResult(form, result));
  }
  const subAggregations = forms.flatMap((form) => (hasBuckets(form) ? [form.aggregations] : []));
  const hasNoSubAggregations = subAggregations.every(
    (aggregations) => Object.keys(aggregations).length === 0,
  );
  const buildSubResults: BuildSubResults = hasNoSubAggregations
    ? noSubResults
    : (bucket) => finishAll(subAggregations, bucket?.subResults ?? [], context);
  return bucketsResult(form, forms, result, {
    ...{ indices: subAggregations, buildSubResults },
    ...context,
  });
}

function noSubResults(): Generator<void, Record<string, unknown>> {
  return done(NO_SUB_RESULTS);
}

function bucketsResult(
  form: BucketAggregation,
  forms: readonly Aggregation[],
  result: Intermediate | undefined,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  const buckets: Map<Key, Bucket> = result?.kind === 'buckets' ? result.buckets : new Map();
  switch (form.kind) {
    case 'filter':
    case 'nested':
    case 'reverseNested':
    case 'missing':
    case 'global': {
      const bucket = result?.kind === 'bucket' ? result.bucket : undefined;
      return mapSteps(context.buildSubResults(bucket), (subResults) => {
        return { doc_count: bucket?.docCount ?? 0, ...subResults };
      });
    }
    case 'terms':
      if (form.minDocCount === 0) addEmptyTerms(buckets, forms, context);
      return termsResult(form, buckets, droppedDocuments(result), context);
    case 'range':
      return rangeResult(form, buckets, context);
    case 'filters':
      return filtersResult(form, buckets, context);
    case 'histogram':
    case 'dateHistogram':
      return histogramResult(form, buckets, context);
    case 'composite':
      return compositeResult(form, forms, buckets, context);
  }
}

/** Returns the number of documents in buckets that were not kept. */
function droppedDocuments(result: Intermediate | undefined): number {
  return result?.kind === 'buckets' ? (result.rest ?? 0) : 0;
}

/** Adds empty buckets for terms that only documents outside of the query have. */
function addEmptyTerms(
  buckets: Map<Key, Bucket>,
  forms: readonly Aggregation[],
  { request }: BucketContext,
): void {
  for (const form of forms) {
    for (const key of request.keysOf(form)) {
      if (!buckets.has(key)) buckets.set(key, { docCount: 0, subResults: [] });
    }
  }
}

function* termsResult(
  form: Extract<BucketAggregation, { readonly kind: 'terms' }>,
  buckets: Map<Key, Bucket>,
  dropped: number,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  const { size, minDocCount, order } = form;
  const sorter = new BucketSorter(order, context.indices);
  const { top, rest } = yield* sorter.sort(buckets, KEYED_BUCKETS, minDocCount, size);
  context.budget.spend(top.length);
  const print = printerOf(form.source);
  const rendered: Record<string, unknown>[] = [];
  for (const [key, bucket] of top) {
    const { docCount } = bucket;
    const members =
      print !== null && typeof key === 'number'
        ? { key, key_as_string: print(key), doc_count: docCount }
        : { key, doc_count: docCount };
    rendered.push(withSubResults(members, yield* context.buildSubResults(bucket)));
    if (context.request.tick()) yield;
  }
  return { doc_count_error_upper_bound: 0, sum_other_doc_count: dropped + rest, buckets: rendered };
}

function* rangeResult(
  form: Extract<BucketAggregation, { readonly kind: 'range' }>,
  buckets: Map<Key, Bucket>,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  context.budget.spend(form.ranges.length);
  const entries: [string, Record<string, unknown>][] = [];
  for (const [at, { key, from, to, fromText, toText }] of form.ranges.entries()) {
    const bucket = buckets.get(at);
    entries.push([
      key,
      {
        ...(from !== undefined && { from }),
        ...(fromText !== undefined && { from_as_string: fromText }),
        ...(to !== undefined && { to }),
        ...(toText !== undefined && { to_as_string: toText }),
        doc_count: bucket?.docCount ?? 0,
        ...(yield* context.buildSubResults(bucket)),
      },
    ]);
  }
  if (form.keyed) return { buckets: Object.fromEntries(entries) };
  return { buckets: entries.map(([key, members]) => ({ key, ...members })) };
}

function* filtersResult(
  form: Extract<BucketAggregation, { readonly kind: 'filters' }>,
  buckets: Map<Key, Bucket>,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  const names = form.filters.map(({ name }) => name);
  if (form.other !== null) names.push(form.other);
  context.budget.spend(names.length);
  const entries: [string, Record<string, unknown>][] = [];
  for (const [at, name] of names.entries()) {
    const bucket = buckets.get(at);
    const subResults = yield* context.buildSubResults(bucket);
    entries.push([name, { doc_count: bucket?.docCount ?? 0, ...subResults }]);
  }
  if (form.keyed) return { buckets: Object.fromEntries(entries) };
  return { buckets: entries.map(([, members]) => members) };
}

/** Returns the first form whose source reads a field. */
function firstWithSource(forms: readonly Aggregation[]): Aggregation {
  const withSource =
    forms.find((form) => 'source' in form && form.source.kind !== 'none') ?? forms[0];
  if (withSource === undefined) throw new TypeError('An aggregation without a form');
  return withSource;
}
