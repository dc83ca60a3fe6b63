// Aggregations with a bucket for each value, or for each interval of values.
// Invariant: a row counts once in each bucket; a row without a value counts only for `missing`.
import { roundingOf } from '../../../engine/aggregation/bucket/histograms.ts';
import type { Bucket, Key } from '../../../engine/aggregation/collecting/intermediate.ts';
import {
  type Aggregations,
  type BucketAggregation,
  type CalendarUnit,
  type DateIntervals,
  type MissingValue,
  nestedPathOf,
  type ValueSource,
} from '../../../query/aggregation.ts';
import { BUCKETS_MAX, TooManyBuckets } from '../requests/bucket-limit.ts';
import type { Json } from '../requests/query-to-body.ts';
import {
  type AggregationRequest,
  type AggregationResponse,
  type AggregationScope,
  answerAt,
  type BuildSubAggregations,
  completeBuckets,
} from './aggregation-request.ts';
import {
  backToRows,
  EVERY_ROW,
  keyIn,
  onValues,
  rowsIn,
  rowsWithoutValue,
  sourceField,
  valuesIn,
  withKey,
} from './aggregation-source.ts';
import { addBucket, bucketOf, keyOf } from './bucket-body.ts';

export function histogramRequest(
  form: Extract<BucketAggregation, { readonly kind: 'histogram' | 'dateHistogram' }>,
  name: string,
  scope: AggregationScope,
  build: BuildSubAggregations,
): AggregationRequest {
  const { source, missing, aggregations } = form;
  const field = source.kind === 'numbers' ? sourceField(source, scope) : null;
  let body: Json | null = null;
  let rest: RestRows | null = null;
  const separate = needsMissingBucket(source, missing);
  if (separate && typeof missing === 'number') {
    const rows = field === null ? EVERY_ROW : rowsWithoutValue(source, scope);
    rest = { key: roundingOf(form, scope.request.dates).round(missing), rows };
  }
  const missingValue = separate ? undefined : missing;
  if (field !== null && form.kind === 'histogram') {
    const { interval, offset } = form;
    body = {
      histogram: { field, interval, offset, min_doc_count: 1, ...withMissing(missingValue) },
    };
  } else if (field !== null && form.kind === 'dateHistogram') {
    const dates = { ...intervalsBody(form.intervals), ...withMissingDate(missingValue) };
    body = { date_histogram: { field, ...dates, min_doc_count: 1 } };
  }
  const keyed = { source, body, rest, completeness: 'all' } as const;
  const request = keyedBuckets(name, keyed, aggregations, scope, build);
  return {
    aggs: request.aggs,
    read: (answer) => ({ kind: 'buckets', buckets: request.read(answer).buckets }),
  };
}

/**
 * Whether rows without a value have a bucket of their own, to be merged with the one of the same
 * key: OpenSearch's `missing` needs a field, and below `nested` it applies to elements without a
 * value, not documents. For booleans it takes no number.
 */
export function needsMissingBucket(
  source: ValueSource,
  missing: MissingValue | undefined,
): missing is MissingValue {
  if (missing === undefined) return false;
  const hasField = source.kind !== 'none' && source.kind !== 'constant';
  const isBoolean = source.kind === 'numbers' && source.type === 'boolean';
  return !hasField || isBoolean || nestedPathOf(source) !== null;
}

/** Rows without a value belong to the bucket of `missing`, with other rows. */
export function withMissing(missing: MissingValue | undefined): Json {
  return missing === undefined ? {} : { missing };
}

/** OpenSearch reads milliseconds as local time of the zone; a text with a zone is unambiguous. */
function withMissingDate(missing: MissingValue | undefined): Json {
  if (typeof missing !== 'number') return {};
  return { missing: new Date(missing).toISOString(), format: 'strict_date_optional_time' };
}

const CALENDAR: Readonly<Record<CalendarUnit, string>> = {
  y: 'year',
  q: 'quarter',
  M: 'month',
  w: 'week',
  d: 'day',
  h: 'hour',
  m: 'minute',
  s: 'second',
};

/** Date intervals as parameters of OpenSearch. */
export function intervalsBody({ every, timeZone, offsetMs }: DateIntervals): Json {
  return {
    ...(typeof every === 'number'
      ? { fixed_interval: `${every}ms` }
      : { calendar_interval: CALENDAR[every] }),
    time_zone: timeZone,
    ...(offsetMs === 0 ? {} : { offset: `${offsetMs}ms` }),
  };
}

/** Rows without a value, and the key of their bucket. */
export interface RestRows {
  readonly key: Key;
  readonly rows: Json;
}

interface Keyed {
  readonly source: ValueSource;
  /** The buckets by key; null if no row has a value. */
  readonly body: Json | null;
  readonly rest: RestRows | null;
  /**
   * Which buckets are requested: all; those that OpenSearch chooses; or all that reach a minimum of
   * rows.
   */
  readonly completeness: 'all' | 'top' | 'frequent';
}

interface KeyedAnswer {
  readonly buckets: Map<Key, Bucket>;
  /** The number of rows in buckets that OpenSearch left out. */
  readonly rest: number;
}

/** Buckets by key, and one for rows without a value. */
export function keyedBuckets(
  name: string,
  { source, body, rest, completeness }: Keyed,
  aggregations: Aggregations,
  scope: AggregationScope,
  build: BuildSubAggregations,
): {
  readonly aggs: Readonly<Record<string, Json>>;
  read(answer: AggregationResponse): KeyedAnswer;
} {
  // A bucket of missing values is merged with that of the same key, and so is all inside of them.
  const merges = body !== null && rest !== null;
  const below = { ...scope, chooses: scope.chooses && !merges, takesComposite: false };
  const inside = build(aggregations, below);
  const without = `${name}m`;
  return {
    aggs: {
      ...(body === null
        ? {}
        : onValues(source, name, {
            [name]: { ...body, aggs: withKey(source, scope, backToRows(source, inside.aggs)) },
          })),
      ...(rest === null ? {} : { [without]: { ...rest.rows, aggs: inside.aggs } }),
    },
    read: (answer) => {
      const buckets = new Map<Key, Bucket>();
      const own = answerAt(valuesIn(source, answer, name), name);
      for (const bucket of bucketsIn(own, completeness)) {
        addBucket(buckets, keyOf(keyIn(bucket)), bucketOf(rowsIn(source, bucket), inside), scope);
      }
      if (rest !== null) {
        addBucket(buckets, rest.key, bucketOf(answerAt(answer, without), inside), scope);
      }
      return { buckets, rest: completeness === 'top' ? (own.sum_other_doc_count ?? 0) : 0 };
    },
  };
}

/** @throws TooManyBuckets if OpenSearch left out some that were requested */
function bucketsIn(answer: AggregationResponse, completeness: Keyed['completeness']) {
  if (completeness === 'all') return completeBuckets(answer);
  const { buckets = [] } = answer;
  if (completeness === 'frequent' && buckets.length >= BUCKETS_MAX) throw new TooManyBuckets();
  return buckets;
}
