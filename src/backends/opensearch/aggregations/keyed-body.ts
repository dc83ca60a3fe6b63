// Aggregations with a bucket for each value, or for each interval of values.
// Invariant: a row counts once in each bucket; a row without a value counts only for `missing`.
import { roundingOf } from '../../../engine/aggregation/bucket/histograms.ts';
import type { Bucket, Key } from '../../../engine/aggregation/intermediate.ts';
import { keyFilter } from '../../../engine/aggregation/keys/key-filter.ts';
import {
  type Aggregations,
  type BucketAggregation,
  type CalendarUnit,
  type DateIntervals,
  type MissingValue,
  nestedPathOf,
  type ValueSource,
} from '../../../query/aggregation/aggregation.ts';
import type { Json } from '../query-to-body.ts';
import {
  type AggregationRequest,
  type AggregationResponse,
  type AggregationScope,
  allTerms,
  answerAt,
  type BuildSubAggregations,
  completeBuckets,
  type Terms,
  UNMAPPED_PATH,
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

/** @param form with `minDocCount` 0 the keys of other rows are requested, too */
export function termsRequest(
  form: Terms,
  name: string,
  scope: AggregationScope,
  build: BuildSubAggregations,
): AggregationRequest {
  const { source, include, exclude, missing, aggregations } = form;
  if (form.minDocCount === 0 && scope.path !== UNMAPPED_PATH)
    scope.zeroCountTerms.push({ form, scope });
  const field = sourceField(source, scope);
  const values = include?.kind === 'values' ? include.values : null;
  const texts = values?.filter((value) => typeof value === 'string');
  const listed = source.kind === 'strings' && texts !== undefined && texts.length > 0;
  const separate = needsMissingBucket(source, missing);
  const terms = {
    ...allTerms(field ?? '', listed ? texts : undefined),
    ...(separate || source.kind === 'id' ? {} : withMissing(missing)), // every row has an id
  };
  const body = field === null ? null : { terms };
  let rest: { key: Key; rows: Json } | null = null;
  if (source.kind === 'constant') rest = { key: source.value, rows: EVERY_ROW };
  else if (separate) rest = { key: missing, rows: rowsWithoutValue(source, scope) };
  const request = keyedBuckets(name, { source, body, rest }, aggregations, scope, build);
  const keeps = keyFilter(include, exclude);
  return {
    aggs: request.aggs,
    read: (answer) => {
      const buckets = request.read(answer);
      for (const key of buckets.keys()) if (keeps?.(key) === false) buckets.delete(key);
      return { kind: 'buckets', buckets };
    },
  };
}

export function histogramRequest(
  form: Extract<BucketAggregation, { readonly kind: 'histogram' | 'dateHistogram' }>,
  name: string,
  scope: AggregationScope,
  build: BuildSubAggregations,
): AggregationRequest {
  const { source, missing, aggregations } = form;
  const field = source.kind === 'numbers' ? sourceField(source, scope) : null;
  let body: Json | null = null;
  let rest: { key: Key; rows: Json } | null = null;
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
  const request = keyedBuckets(name, { source, body, rest }, aggregations, scope, build);
  return {
    aggs: request.aggs,
    read: (answer) => ({ kind: 'buckets', buckets: request.read(answer) }),
  };
}

/**
 * Whether rows without a value have a bucket of their own, to be merged with the one of the same
 * key: OpenSearch's `missing` needs a field, and below `nested` it applies to elements without a
 * value, not documents. For booleans it takes no number.
 */
function needsMissingBucket(
  source: ValueSource,
  missing: MissingValue | undefined,
): missing is MissingValue {
  if (missing === undefined) return false;
  const hasField = source.kind !== 'none' && source.kind !== 'constant';
  const isBoolean = source.kind === 'numbers' && source.type === 'boolean';
  return !hasField || isBoolean || nestedPathOf(source) !== null;
}

/** Rows without a value belong to the bucket of `missing`, with other rows. */
function withMissing(missing: MissingValue | undefined): Json {
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

interface Keyed {
  readonly source: ValueSource;
  /** The buckets by key; null if no row has a value. */
  readonly body: Json | null;
  /** The rows without a value, and their key. */
  readonly rest: { readonly key: Key; readonly rows: Json } | null;
}

/** Buckets by key, and one for rows without a value. */
function keyedBuckets(
  name: string,
  { source, body, rest }: Keyed,
  aggregations: Aggregations,
  scope: AggregationScope,
  build: BuildSubAggregations,
): {
  readonly aggs: Readonly<Record<string, Json>>;
  read(answer: AggregationResponse): Map<Key, Bucket>;
} {
  const inside = build(aggregations, scope);
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
      for (const bucket of completeBuckets(answerAt(valuesIn(source, answer, name), name))) {
        addBucket(buckets, keyOf(keyIn(bucket)), bucketOf(rowsIn(source, bucket), inside), scope);
      }
      if (rest !== null) {
        addBucket(buckets, rest.key, bucketOf(answerAt(answer, without), inside), scope);
      }
      return buckets;
    },
  };
}
