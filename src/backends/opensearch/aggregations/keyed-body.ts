// Aggregations with a bucket for each value, or for each span of values, as OpenSearch is asked for
// them.
// Invariant: a row counts once in each bucket, and one without a value only where something stands
// in for it.
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
import { INSTANT } from '../columns.ts';
import type { Json } from '../query-to-body.ts';
import {
  type AggregationPlace,
  type AskInside,
  everyTerm,
  type Found,
  foundAt,
  NOWHERE,
  type Question,
  type Terms,
  wholeBuckets,
} from './aggregation-question.ts';
import {
  absent,
  EVERY_ROW,
  insideValue,
  onValues,
  rowsIn,
  sourceField,
  valuesIn,
} from './aggregation-source.ts';
import { addBucket, bucketOf, keyOf } from './bucket-body.ts';

/** @param form with a minimum of 0 the keys of other rows are gathered beside */
export function termsQuestion(
  form: Terms,
  name: string,
  place: AggregationPlace,
  ask: AskInside,
): Question {
  const { source, include, exclude, missing, aggregations } = form;
  if (form.minDocCount === 0 && place.path !== NOWHERE) place.wanting.push({ form, place });
  const field = sourceField(source, place);
  const values = include?.kind === 'values' ? include.values : null;
  const texts = values?.filter((value) => typeof value === 'string');
  const listed = source.kind === 'strings' && texts !== undefined && texts.length > 0;
  const apart = missingApart(source, missing);
  const terms = {
    ...everyTerm(field ?? '', listed ? texts : undefined),
    ...(apart ? {} : withMissing(missing)),
  };
  const body = field === null ? null : { terms };
  let rest: { key: Key; rows: Json } | null = null;
  if (source.kind === 'constant') rest = { key: source.value, rows: EVERY_ROW };
  else if (apart) rest = { key: missing, rows: absent(source, place) };
  const question = keyed(name, { source, body, rest }, aggregations, place, ask);
  const keeps = keyFilter(include, exclude);
  return {
    aggs: question.aggs,
    read: (found) => {
      const buckets = question.read(found);
      for (const key of buckets.keys()) if (keeps?.(key) === false) buckets.delete(key);
      return { kind: 'buckets', buckets };
    },
  };
}

export function histogramQuestion(
  form: Extract<BucketAggregation, { readonly kind: 'histogram' | 'dateHistogram' }>,
  name: string,
  place: AggregationPlace,
  ask: AskInside,
): Question {
  const { source, missing, aggregations } = form;
  const field = source.kind === 'numbers' ? sourceField(source, place) : null;
  let body: Json | null = null;
  let rest: { key: Key; rows: Json } | null = null;
  const apart = missingApart(source, missing);
  if (apart && typeof missing === 'number') {
    const rows = field === null ? EVERY_ROW : absent(source, place);
    rest = { key: roundingOf(form).round(missing), rows };
  }
  const stand = apart ? undefined : missing;
  if (field !== null && form.kind === 'histogram') {
    const { interval, offset } = form;
    body = { histogram: { field, interval, offset, min_doc_count: 1, ...withMissing(stand) } };
  } else if (field !== null && form.kind === 'dateHistogram') {
    const dates = { ...intervalsBody(form.intervals), ...withMissingDate(stand) };
    body = { date_histogram: { field: `${field}.${INSTANT}`, ...dates, min_doc_count: 1 } };
  }
  const question = keyed(name, { source, body, rest }, aggregations, place, ask);
  return {
    aggs: question.aggs,
    read: (found) => ({ kind: 'buckets', buckets: question.read(found) }),
  };
}

/**
 * Whether rows without a value have a bucket of their own, to be merged with the one of the same
 * key: OpenSearch knows no value to stand in where there is no field, and below `nested` only
 * elements without one, not documents.
 */
function missingApart(
  source: ValueSource,
  missing: MissingValue | undefined,
): missing is MissingValue {
  if (missing === undefined) return false;
  const hasField = source.kind !== 'none' && source.kind !== 'constant';
  return !hasField || nestedPathOf(source) !== null;
}

/**
 * Rows without a value belong to a bucket that may have others, and what is inside counts their
 * documents once.
 */
function withMissing(missing: MissingValue | undefined): Json {
  return missing === undefined ? {} : { missing };
}

/**
 * OpenSearch reads milliseconds on the clock of the zone; a date that names its own it reads as it
 * is.
 */
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

/** Spans of time as OpenSearch takes them. */
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
  /** The buckets by key; null where no row has a value. */
  readonly body: Json | null;
  /** The rows without a value, and their key. */
  readonly rest: { readonly key: Key; readonly rows: Json } | null;
}

/** Buckets by key, and one for rows without a value. */
function keyed(
  name: string,
  { source, body, rest }: Keyed,
  aggregations: Aggregations,
  place: AggregationPlace,
  ask: AskInside,
): { readonly aggs: Readonly<Record<string, Json>>; read(found: Found): Map<Key, Bucket> } {
  const inside = ask(aggregations, place);
  const without = `${name}m`;
  return {
    aggs: {
      ...(body === null
        ? {}
        : onValues(source, name, {
            [name]: { ...body, aggs: insideValue(source, inside.aggs) },
          })),
      ...(rest === null ? {} : { [without]: { ...rest.rows, aggs: inside.aggs } }),
    },
    read: (found) => {
      const buckets = new Map<Key, Bucket>();
      for (const bucket of wholeBuckets(foundAt(valuesIn(source, found, name), name))) {
        addBucket(buckets, keyOf(bucket.key), bucketOf(rowsIn(source, bucket), inside), place);
      }
      if (rest !== null) {
        addBucket(buckets, rest.key, bucketOf(foundAt(found, without), inside), place);
      }
      return buckets;
    },
  };
}
