// `composite`: OpenSearch's own where it chooses the engine's tuples, otherwise nested buckets, the
// second source inside the first, and so on. A row is in every tuple of its values either way.

import { compareTuples, type Tuple } from '../../../engine/aggregation/bucket/composite.ts';
import type { Bucket, Key } from '../../../engine/aggregation/collecting/intermediate.ts';
import {
  type BucketAggregation,
  type CompositeSource,
  nestedPathOf,
} from '../../../query/aggregation.ts';
import { BUCKETS_MAX } from '../requests/bucket-limit.ts';
import type { Json } from '../requests/query-to-body.ts';
import {
  type AggregationRequest,
  type AggregationResponse,
  type AggregationScope,
  allTerms,
  answerAt,
  type BuildSubAggregations,
  completeBuckets,
  type SubAggregations,
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
import { intervalsBody } from './keyed-body.ts';

type Composite = Extract<BucketAggregation, { readonly kind: 'composite' }>;

/** The sources from one level down. */
interface Level {
  readonly aggs: Readonly<Record<string, Json>>;
  /** @param tuple the keys of the outer sources */
  read(
    answer: AggregationResponse,
    tuple: Tuple,
    add: (tuple: Tuple, bucket: Bucket) => void,
  ): void;
}

export function compositeRequest(
  form: Composite,
  name: string,
  scope: AggregationScope,
  build: BuildSubAggregations,
): AggregationRequest {
  const { sources, after, aggregations } = form;
  const inside = build(aggregations, { ...scope, takesComposite: false });
  if (mayChoose(form, scope)) return chosenRequest(form, name, scope, inside);
  const level = levelOf(sources, name, scope, inside);
  return {
    aggs: level.aggs,
    read: (answer) => {
      const buckets = new Map<Key, Bucket>();
      level.read(answer, [], (tuple, bucket) => {
        if (after !== undefined && compareTuples(tuple, after, sources) <= 0) return;
        addBucket(buckets, JSON.stringify(tuple), bucket, scope);
      });
      return { kind: 'buckets', buckets };
    },
  };
}

/**
 * Whether OpenSearch's own `composite` has the engine's tuples. It is allowed only at the top, below
 * nested arrays and filters, needs a field for each source, and counts a row twice whose numbers are
 * equal, or in the same interval.
 */
function mayChoose({ sources, size, after }: Composite, scope: AggregationScope): boolean {
  return (
    scope.chooses &&
    scope.takesComposite &&
    size <= BUCKETS_MAX &&
    sources.every(({ source }) => source.kind === 'strings' && nestedPathOf(source) === null) &&
    sources.every(({ missingBucket }, at) => {
      const key = after?.[at];
      return after === undefined || typeof key === 'string' || (key === null && missingBucket);
    })
  );
}

/** The first tuples after `after`. */
function chosenRequest(
  { sources, size, after }: Composite,
  name: string,
  scope: AggregationScope,
  inside: SubAggregations,
): AggregationRequest {
  const named = sources.map(({ source, order, missingBucket }, at) => ({
    [`s${at}`]: {
      terms: { field: sourceField(source, scope), order, missing_bucket: missingBucket },
    },
  }));
  const place = after && { after: Object.fromEntries(after.map((key, at) => [`s${at}`, key])) };
  const composite = { size, sources: named, ...place };
  return {
    aggs: { [name]: { composite, aggs: inside.aggs } },
    read: (answer) => {
      const buckets = new Map<Key, Bucket>();
      for (const bucket of answerAt(answer, name).buckets ?? []) {
        const keys = bucket.key as unknown as Readonly<Record<string, Key | null>>;
        const tuple = sources.map((_source, at) => keys[`s${at}`] ?? null);
        addBucket(buckets, JSON.stringify(tuple), bucketOf(bucket, inside), scope);
      }
      return { kind: 'buckets', buckets };
    },
  };
}

function levelOf(
  sources: readonly CompositeSource[],
  name: string,
  scope: AggregationScope,
  inside: SubAggregations,
): Level {
  const [source, ...others] = sources;
  if (source === undefined) {
    return {
      aggs: inside.aggs,
      read: (answer, tuple, add) => add(tuple, bucketOf(answer, inside)),
    };
  }
  const below = levelOf(others, name, scope, inside);
  const values = `${name}v`;
  const without = `${name}m`;
  const body = sourceBody(source, scope);
  const rest = missingRowsOf(source, scope);
  return {
    aggs: {
      ...(body !== null &&
        onValues(source.source, values, {
          [values]: {
            ...body,
            aggs: withKey(source.source, scope, backToRows(source.source, below.aggs)),
          },
        })),
      ...(rest !== null && { [without]: { ...rest.rows, aggs: below.aggs } }),
    },
    read: (answer, tuple, add) => {
      const own = answerAt(valuesIn(source.source, answer, values), values);
      for (const bucket of completeBuckets(own)) {
        below.read(rowsIn(source.source, bucket), [...tuple, keyOf(keyIn(bucket))], add);
      }
      const last = answerAt(answer, without);
      if (rest !== null && last.doc_count) below.read(last, [...tuple, rest.key], add);
    },
  };
}

/** Returns null if no row has a value. */
function sourceBody(source: CompositeSource, scope: AggregationScope): Json | null {
  const field = sourceField(source.source, scope);
  if (field === null) return null;
  if (source.kind === 'terms') return { terms: allTerms(field) };
  if (source.source.kind !== 'numbers') return null;
  if (source.kind === 'histogram') {
    return { histogram: { field, interval: source.interval, min_doc_count: 1 } };
  }
  const intervals = intervalsBody(source.intervals);
  return { date_histogram: { field, ...intervals, min_doc_count: 1 } };
}

/** The rows without a value of their own, and their key. */
function missingRowsOf(
  { kind, source, missingBucket }: CompositeSource,
  scope: AggregationScope,
): { readonly key: Key | null; readonly rows: Json } | null {
  if (kind === 'terms' && source.kind === 'constant') return { key: source.value, rows: EVERY_ROW };
  if (!missingBucket) return null;
  const values = kind === 'terms' || source.kind === 'numbers';
  return { key: null, rows: values ? rowsWithoutValue(source, scope) : EVERY_ROW };
}
