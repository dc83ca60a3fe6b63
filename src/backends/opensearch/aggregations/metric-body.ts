// Metrics as OpenSearch is asked for them: one set of statistics for all that calculate, the values
// themselves where distinct ones are counted, for OpenSearch only estimates how many these are.

import { type Intermediate, type Key, newStats } from '../../../engine/aggregation/intermediate.ts';
import { DistinctKeys } from '../../../engine/aggregation/metric/distinct-keys.ts';
import {
  type MetricAggregation,
  nestedPathOf,
  type ValueSource,
} from '../../../query/aggregation/aggregation.ts';
import type { Json } from '../query-to-body.ts';
import {
  type AggregationPlace,
  everyTerm,
  type Found,
  foundAt,
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

type Metric = Exclude<MetricAggregation, { readonly kind: 'topHits' | 'percentiles' }>;

export function metricQuestion(
  aggregation: Metric,
  name: string,
  place: AggregationPlace,
): Question {
  const { kind, source, missing } = aggregation;
  if (kind === 'cardinality') return distinctQuestion(aggregation, name, place);
  if (kind === 'valueCount' && source.kind !== 'numbers') {
    return countQuestion(aggregation, name, place);
  }
  const field = source.kind === 'numbers' ? sourceField(source, place) : null;
  const value = typeof missing === 'number' ? missing : null;
  return {
    aggs: {
      ...(field === null ? {} : onValues(source, name, { [name]: { extended_stats: { field } } })),
      ...(value === null ? {} : { [`${name}m`]: absent(source, place) }),
    },
    read: (found) => {
      const stats = newStats();
      const values = foundAt(valuesIn(source, found, name), name);
      const { count, sum, sum_of_squares, min, max } = values;
      if (Number(count ?? 0) > 0) {
        stats.count = Number(count);
        stats.sum = Number(sum);
        stats.sumOfSquares = Number(sum_of_squares);
        stats.min = Number(min);
        stats.max = Number(max);
      }
      const rows = foundAt(found, `${name}m`).doc_count ?? 0;
      if (value !== null && rows > 0) {
        stats.count += rows;
        stats.sum += rows * value;
        stats.sumOfSquares += rows * value * value;
        stats.min = Math.min(stats.min, value);
        stats.max = Math.max(stats.max, value);
      }
      return stats.count === 0 ? undefined : { kind: 'stats', stats };
    },
  };
}

/** How many values, where these are strings: each row has each of its values once. */
function countQuestion(
  { source, missing }: Metric,
  name: string,
  place: AggregationPlace,
): Question {
  const field = sourceField(source, place);
  const flattened = nestedPathOf(source) !== null;
  const body = (of: string): Json =>
    flattened
      ? { terms: everyTerm(of), aggs: insideValue(source, {}) }
      : { value_count: { field: of } };
  const all = source.kind === 'constant' ? EVERY_ROW : null;
  const rest = missing === undefined ? all : (all ?? absent(source, place));
  return {
    aggs: {
      ...(field === null ? {} : onValues(source, name, { [name]: body(field) })),
      ...(rest === null ? {} : { [`${name}m`]: rest }),
    },
    read: (found): Intermediate => {
      const own = foundAt(valuesIn(source, found, name), name);
      const values = flattened ? pairsIn(source, own, place) : Number(own['value'] ?? 0);
      const rows = foundAt(found, `${name}m`).doc_count ?? 0;
      return { kind: 'stats', stats: { ...newStats(), count: values + rows } };
    },
  };
}

/**
 * How many pairs of a document and one of its values there are: elements of a document may share a
 * value.
 */
function pairsIn(source: ValueSource, found: Found, { request }: AggregationPlace): number {
  let pairs = 0;
  for (const bucket of wholeBuckets(found)) {
    request.addBuckets(1);
    pairs += rowsIn(source, bucket).doc_count ?? 0;
  }
  return pairs;
}

function distinctQuestion(
  { source, missing }: Metric,
  name: string,
  place: AggregationPlace,
): Question {
  const field = sourceField(source, place);
  let rest: { readonly key: Key; readonly rows: Json } | null = null;
  if (source.kind === 'constant') rest = { key: source.value, rows: EVERY_ROW };
  else if (missing !== undefined) rest = { key: missing, rows: absent(source, place) };
  return {
    aggs: {
      ...(field === null ? {} : onValues(source, name, { [name]: { terms: everyTerm(field) } })),
      ...(rest === null ? {} : { [`${name}m`]: rest.rows }),
    },
    read: (found): Intermediate => {
      const keys = new DistinctKeys();
      const own = foundAt(valuesIn(source, found, name), name);
      for (const { key } of wholeBuckets(own)) keys.add(key);
      const rows = foundAt(found, `${name}m`).doc_count ?? 0;
      if (rest !== null && rows > 0) keys.add(rest.key);
      for (let counted = 0; counted < keys.size; counted++) place.request.addBuckets(1);
      return { kind: 'distinct', keys };
    },
  };
}
