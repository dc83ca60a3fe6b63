// `composite` as OpenSearch is asked for it: buckets of the second source inside those of the first
// one, and so on, for its own `composite` stands at the top only and knows no sources without a
// field. A row is in every tuple that its values can make either way.

import { compareTuples, type Tuple } from '../../../engine/aggregation/bucket/composite.ts';
import type { Bucket, Key } from '../../../engine/aggregation/intermediate.ts';
import type { BucketAggregation, CompositeSource } from '../../../query/aggregation/aggregation.ts';
import { INSTANT } from '../columns.ts';
import type { Json } from '../query-to-body.ts';
import {
  type AggregationPlace,
  type AskInside,
  everyTerm,
  type Found,
  foundAt,
  type Inside,
  type Question,
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
import { intervalsBody } from './keyed-body.ts';

type Composite = Extract<BucketAggregation, { readonly kind: 'composite' }>;

/** The sources from one on. */
interface Level {
  readonly aggs: Readonly<Record<string, Json>>;
  /** @param tuple the keys of the sources before */
  read(found: Found, tuple: Tuple, add: (tuple: Tuple, bucket: Bucket) => void): void;
}

export function compositeQuestion(
  { sources, after, aggregations }: Composite,
  name: string,
  place: AggregationPlace,
  ask: AskInside,
): Question {
  const level = levelOf(sources, name, place, ask(aggregations, place));
  return {
    aggs: level.aggs,
    read: (found) => {
      const buckets = new Map<Key, Bucket>();
      level.read(found, [], (tuple, bucket) => {
        if (after !== undefined && compareTuples(tuple, after, sources) <= 0) return;
        addBucket(buckets, JSON.stringify(tuple), bucket, place);
      });
      return { kind: 'buckets', buckets };
    },
  };
}

function levelOf(
  sources: readonly CompositeSource[],
  name: string,
  place: AggregationPlace,
  inside: Inside,
): Level {
  const [source, ...others] = sources;
  if (source === undefined) {
    return {
      aggs: inside.aggs,
      read: (found, tuple, add) => add(tuple, bucketOf(found, inside)),
    };
  }
  const below = levelOf(others, name, place, inside);
  const values = `${name}v`;
  const without = `${name}m`;
  const body = sourceBody(source, place);
  const rest = restOf(source, place);
  return {
    aggs: {
      ...(body !== null &&
        onValues(source.source, values, {
          [values]: { ...body, aggs: insideValue(source.source, below.aggs) },
        })),
      ...(rest !== null && { [without]: { ...rest.rows, aggs: below.aggs } }),
    },
    read: (found, tuple, add) => {
      const own = foundAt(valuesIn(source.source, found, values), values);
      for (const bucket of wholeBuckets(own)) {
        below.read(rowsIn(source.source, bucket), [...tuple, keyOf(bucket.key)], add);
      }
      const last = foundAt(found, without);
      if (rest !== null && last.doc_count) below.read(last, [...tuple, rest.key], add);
    },
  };
}

/** Null where no row has a value. */
function sourceBody(source: CompositeSource, place: AggregationPlace): Json | null {
  const field = sourceField(source.source, place);
  if (field === null) return null;
  if (source.kind === 'terms') return { terms: everyTerm(field) };
  if (source.source.kind !== 'numbers') return null;
  if (source.kind === 'histogram') {
    return { histogram: { field, interval: source.interval, min_doc_count: 1 } };
  }
  const intervals = intervalsBody(source.intervals);
  return { date_histogram: { field: `${field}.${INSTANT}`, ...intervals, min_doc_count: 1 } };
}

/** The rows with a key that is no value of theirs. */
function restOf(
  { kind, source, missingBucket }: CompositeSource,
  place: AggregationPlace,
): { readonly key: Key | null; readonly rows: Json } | null {
  if (kind === 'terms' && source.kind === 'constant') return { key: source.value, rows: EVERY_ROW };
  if (!missingBucket) return null;
  const values = kind === 'terms' || source.kind === 'numbers';
  return { key: null, rows: values ? absent(source, place) : EVERY_ROW };
}
