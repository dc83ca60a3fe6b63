// What histograms tell: buckets in order, with empty ones between the first and the last unless only fuller ones are
// wanted. How many that will be is reckoned from the span before any of them is made.
import type { BucketAggregation } from '../../../query/aggregation/aggregation.ts';
import { doubleText } from '../../../query/aggregation/number-text.ts';
import { keyPrinter, printIso } from '../../../query/dates/date-format.ts';
import { dateRounding } from '../../../query/dates/date-intervals.ts';
import { bucketSorter, KEYED_BUCKETS } from '../bucket-order.ts';
import type { Bucket, Key } from '../intermediate.ts';
import { type BucketContext, withInside } from '../result-context.ts';

type Histogram = Extract<BucketAggregation, { readonly kind: 'histogram' | 'dateHistogram' }>;

export function* histogramResult(
  form: Histogram,
  buckets: Map<Key, Bucket>,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  const { minDocCount, keyed, order } = form;
  const filled = minDocCount > 0 ? buckets : yield* withEmpty(form, buckets, context);
  const sorted = bucketSorter(order, context.indices);
  const { top } = yield* sorted(filled, KEYED_BUCKETS, minDocCount, filled.size);
  context.budget.spend(top.length);
  const print =
    form.kind === 'histogram'
      ? null
      : (keyPrinter(form.format, form.intervals.timeZone) ?? printIso);
  const told: Record<string, unknown>[] = [];
  for (const [key, bucket] of top) {
    const { docCount } = bucket;
    const members =
      print === null
        ? { key, doc_count: docCount }
        : { key_as_string: print(Number(key)), key, doc_count: docCount };
    told.push(withInside(members, yield* context.inside(bucket)));
    if (context.request.tick()) yield;
  }
  if (!keyed) return { buckets: told };
  const spell = print ?? doubleText;
  return { buckets: Object.fromEntries(top.map(([key], at) => [spell(Number(key)), told[at]])) };
}

/** @throws ServiceError `limit_exceeded` */
function* withEmpty(
  form: Histogram,
  buckets: Map<Key, Bucket>,
  { budget, request }: BucketContext,
): Generator<void, Map<Key, Bucket>> {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const key of buckets.keys()) {
    first = Math.min(first, Number(key));
    last = Math.max(last, Number(key));
  }
  if (buckets.size === 0) return buckets;
  const filled = new Map<Key, Bucket>();
  const add = (key: number): void => {
    filled.set(key, buckets.get(key) ?? { docCount: 0, inside: [] });
    budget.check(filled.size);
  };
  if (form.kind === 'histogram') {
    const { interval, offset } = form;
    const start = Math.round((first - offset) / interval);
    const count = Math.round((last - offset) / interval) - start + 1;
    budget.check(count);
    for (let i = 0; i < count; i++) {
      add((start + i) * interval + offset);
      if (request.tick()) yield;
    }
    return filled;
  }
  const rounding = dateRounding(form.intervals);
  // Units of the calendar are a little longer at times.
  budget.check(Math.floor((last - first) / (rounding.usualMs * LONGEST)));
  for (let key = first; key <= last; key = rounding.next(key)) {
    add(key);
    if (request.tick()) yield;
  }
  return filled;
}

/** A month of 31 days beside the usual 30. */
const LONGEST = 1.05;
