// Builds the response of histograms: buckets in order, with empty ones between the first and the
// last if `min_doc_count` is 0. The number of buckets is estimated from the span before any of them
// is created.
import { ServiceError } from '../../../errors.ts';
import { doubleText } from '../../../query/aggregation/number-text.ts';
import type { BucketAggregation } from '../../../query/aggregation.ts';
import { printIso } from '../../../query/dates/date-format.ts';
import type { Bucket, Key } from '../collecting/intermediate.ts';
import { type BucketContext, withSubResults } from '../collecting/result-context.ts';
import { BucketSorter, KEYED_BUCKETS } from './bucket-order.ts';

type Histogram = Extract<BucketAggregation, { readonly kind: 'histogram' | 'dateHistogram' }>;

export function* histogramResult(
  aggregation: Histogram,
  buckets: Map<Key, Bucket>,
  context: BucketContext,
): Generator<void, Record<string, unknown>> {
  const { minDocCount, keyed, order } = aggregation;
  const filled = minDocCount > 0 ? buckets : yield* withEmpty(aggregation, buckets, context);
  const sorter = new BucketSorter(order, context.indices);
  const { top } = yield* sorter.sort(filled, KEYED_BUCKETS, minDocCount, filled.size);
  context.budget.spend(top.length);
  const print =
    aggregation.kind === 'histogram'
      ? null
      : (context.request.dates.printer(aggregation.format, aggregation.intervals.timeZone) ??
        printIso);
  const rendered: Record<string, unknown>[] = [];
  for (const [key, bucket] of top) {
    const { docCount } = bucket;
    const members =
      print === null
        ? { key, doc_count: docCount }
        : { key_as_string: print(Number(key)), key, doc_count: docCount };
    rendered.push(withSubResults(members, yield* context.buildSubResults(bucket)));
    if (context.request.tick()) yield;
  }
  if (!keyed) return { buckets: rendered };
  const printKey = print ?? doubleText;
  const keys = top.map(([key]) => printKey(Number(key)));
  checkKeys(keys);
  return { buckets: Object.fromEntries(keys.map((key, at) => [key, rendered[at]])) };
}

/** @throws ServiceError `request_invalid` if the response would have only one of several buckets */
function checkKeys(keys: readonly string[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (seen.has(key)) {
      const cause = `keyed: the format gives several buckets the key ${JSON.stringify(key)}; use a finer format, or leave out keyed`;
      throw new ServiceError('request_invalid', cause, { causes: [cause] });
    }
    seen.add(key);
  }
}

/** @throws ServiceError `limit_exceeded` */
function* withEmpty(
  aggregation: Histogram,
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
    filled.set(key, buckets.get(key) ?? { docCount: 0, subResults: [] });
    budget.check(filled.size);
  };
  if (aggregation.kind === 'histogram') {
    const { interval, offset } = aggregation;
    const start = Math.round((first - offset) / interval);
    const count = Math.round((last - offset) / interval) - start + 1;
    budget.check(count);
    for (let i = 0; i < count; i++) {
      add((start + i) * interval + offset);
      if (request.tick()) yield;
    }
    return filled;
  }
  const rounding = request.dates.rounding(aggregation.intervals);
  // Calendar units vary in length.
  budget.check(Math.floor((last - first) / (rounding.usualMs * LONGEST_TO_USUAL)));
  for (let key = first; key <= last; key = rounding.next(key)) {
    add(key);
    if (request.tick()) yield;
  }
  return filled;
}

/** A month of 31 days is longer than the usual one of 30. */
const LONGEST_TO_USUAL = 1.05;
