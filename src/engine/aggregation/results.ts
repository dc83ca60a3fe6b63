// The last phase: merged results become the JSON of an answer, bucket by bucket, within a budget. An aggregation is
// given as it stands in each index, since the same field may be of different types; the first one that has it speaks.
import {
  type Aggregation,
  type Aggregations,
  type BucketAggregation,
  hasBuckets,
} from '../../query/aggregation/aggregation.ts';
import { compositeResult } from './bucket/composite-result.ts';
import { histogramResult } from './bucket/histogram-result.ts';
import { bucketSorter, KEYED_BUCKETS } from './bucket-order.ts';
import type { Bucket, Intermediate, Key } from './intermediate.ts';
import { hitsResult } from './metric/hits-result.ts';
import { metricResult, printerOf } from './metric/results.ts';
import {
  type BucketContext,
  NOTHING_INSIDE,
  type ResultContext,
  type TellInside,
  withInside,
} from './result-context.ts';

/** @param found by the order of the aggregations */
export function* finishAll(
  indices: readonly Aggregations[],
  found: readonly (Intermediate | undefined)[],
  context: ResultContext,
): Generator<void, Record<string, unknown>> {
  const entries: [string, unknown][] = [];
  for (const [at, name] of Object.keys(indices[0] ?? {}).entries()) {
    const forms = indices.flatMap((aggregations) => aggregations[name] ?? []);
    entries.push([name, yield* finish(forms, found[at], context)]);
  }
  return Object.fromEntries(entries);
}

function* finish(
  forms: readonly Aggregation[],
  found: Intermediate | undefined,
  context: ResultContext,
): Generator<void, Record<string, unknown>> {
  const form = speakerOf(forms);
  if (!hasBuckets(form)) {
    return form.kind === 'topHits'
      ? yield* hitsResult(form, found, context)
      : metricResult(form, found);
  }
  const indices = forms.flatMap((one) => (hasBuckets(one) ? [one.aggregations] : []));
  const isEmpty = indices.every((aggregations) => Object.keys(aggregations).length === 0);
  const inside: TellInside = isEmpty
    ? nothing
    : (bucket) => finishAll(indices, bucket?.inside ?? [], context);
  return yield* bucketsResult(form, forms, found, { ...context, indices, inside });
}

// biome-ignore lint/correctness/useYield: nothing is inside
function* nothing(): Generator<void, Record<string, unknown>> {
  return NOTHING_INSIDE;
}

function* bucketsResult(
  form: BucketAggregation,
  forms: readonly Aggregation[],
  found: Intermediate | undefined,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  const buckets: Map<Key, Bucket> = found?.kind === 'buckets' ? found.buckets : new Map();
  switch (form.kind) {
    case 'filter':
    case 'nested':
    case 'reverseNested':
    case 'missing':
    case 'global': {
      const bucket = found?.kind === 'bucket' ? found.bucket : undefined;
      return { doc_count: bucket?.docCount ?? 0, ...(yield* context.inside(bucket)) };
    }
    case 'terms':
      if (form.minDocCount === 0) addEmpty(buckets, forms, context);
      return yield* termsResult(form, buckets, restOf(found), context);
    case 'range':
      return yield* rangeResult(form, buckets, context);
    case 'filters':
      return yield* filtersResult(form, buckets, context);
    case 'histogram':
    case 'dateHistogram':
      return yield* histogramResult(form, buckets, context);
    case 'composite':
      return yield* compositeResult(form, forms, buckets, context);
  }
}

/** How many documents the buckets have that were not even told of. */
function restOf(found: Intermediate | undefined): number {
  return found?.kind === 'buckets' ? (found.rest ?? 0) : 0;
}

/** Keys that only other documents have. */
function addEmpty(
  buckets: Map<Key, Bucket>,
  forms: readonly Aggregation[],
  { request }: BucketContext,
): void {
  for (const form of forms) {
    for (const key of request.keysOf(form)) {
      if (!buckets.has(key)) buckets.set(key, { docCount: 0, inside: [] });
    }
  }
}

function* termsResult(
  form: Extract<BucketAggregation, { readonly kind: 'terms' }>,
  buckets: Map<Key, Bucket>,
  left: number,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  const { size, minDocCount, order } = form;
  const sorted = bucketSorter(order, context.indices);
  const { top, rest } = yield* sorted(buckets, KEYED_BUCKETS, minDocCount, size);
  context.budget.spend(top.length);
  const print = printerOf(form.source);
  const told: Record<string, unknown>[] = [];
  for (const [key, bucket] of top) {
    const { docCount } = bucket;
    const members =
      print !== null && typeof key === 'number'
        ? { key, key_as_string: print(key), doc_count: docCount }
        : { key, doc_count: docCount };
    told.push(withInside(members, yield* context.inside(bucket)));
    if (context.request.tick()) yield;
  }
  return { doc_count_error_upper_bound: 0, sum_other_doc_count: left + rest, buckets: told };
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
        ...(yield* context.inside(bucket)),
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
    const inside = yield* context.inside(bucket);
    entries.push([name, { doc_count: bucket?.docCount ?? 0, ...inside }]);
  }
  if (form.keyed) return { buckets: Object.fromEntries(entries) };
  return { buckets: entries.map(([, members]) => members) };
}

/** The first form that reads anything. */
function speakerOf(forms: readonly Aggregation[]): Aggregation {
  const speaker = forms.find((form) => 'source' in form && form.source.kind !== 'none') ?? forms[0];
  if (speaker === undefined) throw new TypeError('An aggregation without a form');
  return speaker;
}
