// Aggregations as OpenSearch is asked for them, and how its answer is read: not as a result, but as what the engine's
// own last phase takes. So order, gaps, names and texts are made in one place, whoever counted.
// Invariant: every bucket is asked for; where there are more than OpenSearch gives, that is told, never left out.

import { roundingOf } from '../../engine/aggregation/bucket/histograms.ts';
import {
  type Bucket,
  type Intermediate,
  type Key,
  merge,
} from '../../engine/aggregation/intermediate.ts';
import { keyFilter } from '../../engine/aggregation/key-column.ts';
import type {
  Aggregation,
  Aggregations,
  BucketAggregation,
  CalendarUnit,
  DateIntervals,
} from '../../query/aggregation.ts';
import type { Query } from '../../query/plan.ts';
import {
  type AggregationPlace,
  everyTerm,
  type Found,
  foundAt,
  notServed,
  type Question,
  type Terms,
  wholeBuckets,
} from './aggregation-question.ts';
import { absent, EVERY_ROW, sourceField } from './aggregation-source.ts';
import { encodedPath, INSTANT } from './columns.ts';
import { metricQuestion } from './metric-body.ts';
import { type Json, MATCH_NONE, queryBody } from './query-to-body.ts';

/** All aggregations of one level. */
export function questionsOf(
  aggregations: Aggregations,
  place: AggregationPlace,
): { readonly aggs: Json; read(found: Found): (Intermediate | undefined)[] } {
  const questions = Object.values(aggregations).map((one, at) => questionOf(one, `a${at}`, place));
  return {
    aggs: Object.assign({}, ...questions.map(({ aggs }) => aggs)) as Json,
    read: (found) => questions.map((question) => question.read(found)),
  };
}

function questionOf(aggregation: Aggregation, name: string, place: AggregationPlace): Question {
  switch (aggregation.kind) {
    case 'terms':
      return termsQuestion(aggregation, name, place);
    case 'filter':
      return single(name, { filter: queryBody(aggregation.query, place) }, aggregation, place);
    case 'missing': {
      return single(name, absent(aggregation.source, place), aggregation, place);
    }
    case 'global':
      return single(name, { global: {} }, aggregation, { ...place, path: null });
    case 'nested': {
      const { path } = aggregation;
      const known = path !== null && place.mapping.nestedPaths.includes(path);
      if (!known || place.path !== null) return NOTHING;
      const below = { ...place, path };
      return single(name, { nested: { path: encodedPath(path) } }, aggregation, below);
    }
    case 'reverseNested':
      if (place.path === null) return NOTHING;
      return single(name, { reverse_nested: {} }, aggregation, { ...place, path: null });
    case 'range':
      return rangeQuestion(aggregation, name, place);
    case 'filters':
      return filtersQuestion(aggregation, name, place);
    case 'histogram':
    case 'dateHistogram':
      return histogramQuestion(aggregation, name, place);
    case 'composite':
      throw notServed('composite');
    case 'topHits':
      throw notServed('top_hits');
    case 'percentiles':
      throw notServed('percentiles (MEDIAN)');
    default:
      return metricQuestion(aggregation, name, place);
  }
}

const NOTHING: Question = { aggs: {}, read: () => undefined };

function single(
  name: string,
  body: Json,
  { aggregations }: BucketAggregation,
  below: AggregationPlace,
): Question {
  const bucket = bucketQuestion(name, body, aggregations, below);
  return {
    aggs: bucket.aggs,
    read: (found) => ({ kind: 'bucket', bucket: bucket.read(found) }),
  };
}

/** One bucket with what is inside. */
function bucketQuestion(
  name: string,
  body: Json,
  aggregations: Aggregations,
  place: AggregationPlace,
): { readonly aggs: Readonly<Record<string, Json>>; read(found: Found): Bucket } {
  const inside = questionsOf(aggregations, place);
  return {
    aggs: { [name]: { ...body, aggs: inside.aggs } },
    read: (found) => bucketOf(foundAt(found, name), inside),
  };
}

type Inside = ReturnType<typeof questionsOf>;

function bucketOf(found: Found, inside: Inside): Bucket {
  return { docCount: found.doc_count ?? 0, inside: inside.read(found) };
}

function addBucket(buckets: Map<Key, Bucket>, key: Key, bucket: Bucket): void {
  if (bucket.docCount === 0) return;
  const into: Intermediate = { kind: 'buckets', buckets };
  const added = merge(into, { kind: 'buckets', buckets: new Map([[key, bucket]]) });
  while (added.next().done !== true);
}

/** Zero has one sign. */
function keyOf(key: Key): Key {
  return key === 0 ? 0 : key;
}

/** Buckets by key, and one for rows without a value. */
function keyed(
  name: string,
  body: Json | null,
  missing: { readonly key: Key; readonly rows: Json } | null,
  aggregations: Aggregations,
  place: AggregationPlace,
): { readonly aggs: Readonly<Record<string, Json>>; read(found: Found): Map<Key, Bucket> } {
  const inside = questionsOf(aggregations, place);
  const without = `${name}m`;
  return {
    aggs: {
      ...(body === null ? {} : { [name]: { ...body, aggs: inside.aggs } }),
      ...(missing === null ? {} : { [without]: { ...missing.rows, aggs: inside.aggs } }),
    },
    read: (found) => {
      const buckets = new Map<Key, Bucket>();
      for (const bucket of wholeBuckets(foundAt(found, name))) {
        addBucket(buckets, keyOf(bucket.key), bucketOf(bucket, inside));
      }
      if (missing !== null) {
        addBucket(buckets, missing.key, bucketOf(foundAt(found, without), inside));
      }
      return buckets;
    },
  };
}

/** @param form with a minimum of 0 the keys of other rows are gathered beside */
export function termsQuestion(form: Terms, name: string, place: AggregationPlace): Question {
  const { source, include, exclude, missing, aggregations } = form;
  if (form.minDocCount === 0) place.wanting.push({ form, place });
  const field = sourceField(source, place);
  const values = include?.kind === 'values' ? include.values : null;
  const texts = values?.filter((value) => typeof value === 'string');
  const listed = source.kind === 'strings' && texts !== undefined && texts.length > 0;
  const body = field === null ? null : { terms: everyTerm(field, listed ? texts : undefined) };
  let rest: { key: Key; rows: Json } | null = null;
  if (source.kind === 'constant') rest = { key: source.value, rows: EVERY_ROW };
  else if (missing !== undefined) rest = { key: missing, rows: absent(source, place) };
  const question = keyed(name, body, rest, aggregations, place);
  const keeps = keyFilter(include, exclude);
  return {
    aggs: question.aggs,
    read: (found) => {
      const buckets = question.read(found);
      for (const key of buckets.keys()) if (!keeps(key)) buckets.delete(key);
      return { kind: 'buckets', buckets };
    },
  };
}

function histogramQuestion(
  form: Extract<BucketAggregation, { readonly kind: 'histogram' | 'dateHistogram' }>,
  name: string,
  place: AggregationPlace,
): Question {
  const { source, missing, aggregations } = form;
  const field = source.kind === 'numbers' ? sourceField(source, place) : null;
  let body: Json | null = null;
  if (field !== null && form.kind === 'histogram') {
    const { interval, offset } = form;
    body = { histogram: { field, interval, offset, min_doc_count: 1 } };
  } else if (field !== null && form.kind === 'dateHistogram') {
    const intervals = intervalsBody(form.intervals);
    body = { date_histogram: { field: `${field}.${INSTANT}`, ...intervals, min_doc_count: 1 } };
  }
  const round = roundingOf(form);
  const rest =
    typeof missing === 'number' ? { key: round(missing), rows: absent(source, place) } : null;
  const question = keyed(name, body, rest, aggregations, place);
  return {
    aggs: question.aggs,
    read: (found) => ({ kind: 'buckets', buckets: question.read(found) }),
  };
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

function intervalsBody({ every, timeZone, offsetMs }: DateIntervals): Json {
  return {
    ...(typeof every === 'number'
      ? { fixed_interval: `${every}ms` }
      : { calendar_interval: CALENDAR[every] }),
    time_zone: timeZone,
    ...(offsetMs === 0 ? {} : { offset: `${offsetMs}ms` }),
  };
}

/** A row counts once in each range, whichever of its values lie there: each range is a query. */
function rangeQuestion(
  form: Extract<BucketAggregation, { readonly kind: 'range' }>,
  name: string,
  place: AggregationPlace,
): Question {
  const { source, ranges, missing } = form;
  const filters = ranges.map(({ from, to }): Json => {
    const should: Json[] = [];
    const field = source.kind === 'numbers' ? sourceField(source, place) : null;
    if (source.kind === 'numbers' && field !== null) {
      const { column } = source;
      const bounds = {
        ...(from === undefined ? {} : { gte: from }),
        ...(to === undefined ? {} : { lt: to }),
      };
      const query: Query = { kind: 'numberRange', field: source.field, column, ...bounds };
      const open = from === undefined && to === undefined;
      should.push(open ? { exists: { field } } : queryBody(query, place));
    }
    const holds = (value: number) =>
      value >= (from ?? Number.NEGATIVE_INFINITY) && value < (to ?? Number.POSITIVE_INFINITY);
    if (typeof missing === 'number' && holds(missing)) {
      should.push(
        field === null ? { match_all: {} } : { bool: { must_not: [{ exists: { field } }] } },
      );
    }
    return should.length === 0 ? MATCH_NONE : { bool: { should, minimum_should_match: 1 } };
  });
  return numbered(filters, name, form.aggregations, place);
}

function filtersQuestion(
  form: Extract<BucketAggregation, { readonly kind: 'filters' }>,
  name: string,
  place: AggregationPlace,
): Question {
  const filters = form.filters.map(({ query }) => queryBody(query, place));
  const other = form.other === null ? [] : [{ bool: { must_not: filters } }];
  return numbered([...filters, ...other], name, form.aggregations, place);
}

/** Buckets that are known beforehand, by number. */
function numbered(
  filters: readonly Json[],
  name: string,
  aggregations: Aggregations,
  place: AggregationPlace,
): Question {
  const questions = filters.map((filter, at) =>
    bucketQuestion(`${name}f${at}`, { filter }, aggregations, place),
  );
  return {
    aggs: Object.assign({}, ...questions.map(({ aggs }) => aggs)) as Record<string, Json>,
    read: (found) => {
      const buckets = new Map<Key, Bucket>();
      for (const [at, question] of questions.entries()) {
        addBucket(buckets, at, question.read(found));
      }
      return { kind: 'buckets', buckets };
    },
  };
}
