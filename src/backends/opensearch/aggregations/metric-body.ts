// Metrics: OpenSearch's figures, and all values for distinct counts, because it only estimates those.

import { DistinctKeys } from '../../../engine/aggregation/collecting/distinct-keys.ts';
import { addTo, newSum } from '../../../engine/aggregation/collecting/exact-sum.ts';
import {
  type Intermediate,
  type Key,
  newStats,
  type Stats,
} from '../../../engine/aggregation/collecting/intermediate.ts';
import {
  type MetricAggregation,
  nestedPathOf,
  type ValueSource,
} from '../../../query/aggregation.ts';
import type { Json } from '../requests/query-to-body.ts';
import {
  type AggregationRequest,
  type AggregationResponse,
  type AggregationScope,
  allTerms,
  answerAt,
  completeBuckets,
} from './aggregation-request.ts';
import {
  backToRows,
  EVERY_ROW,
  onValues,
  rowsIn,
  rowsWithoutValue,
  sourceField,
  valuesIn,
} from './aggregation-source.ts';

type Metric = Exclude<MetricAggregation, { readonly kind: 'topHits' | 'percentiles' }>;

export function metricRequest(
  aggregation: Metric,
  name: string,
  scope: AggregationScope,
): AggregationRequest {
  const { kind, source, missing } = aggregation;
  if (kind === 'cardinality') return distinctRequest(aggregation, name, scope);
  if (kind === 'valueCount' && source.kind !== 'numbers') {
    return countRequest(aggregation, name, scope);
  }
  const field = source.kind === 'numbers' ? sourceField(source, scope) : null;
  const value = typeof missing === 'number' ? missing : null;
  return {
    aggs: {
      ...(field !== null && onValues(source, name, { [name]: { [FIGURES[kind]]: { field } } })),
      ...(value === null ? {} : { [`${name}m`]: rowsWithoutValue(source, scope) }),
    },
    read: (answer) => {
      const stats = newStats();
      if (kind === 'extendedStats') stats.squares = newSum();
      addFigures(stats, kind, answerAt(valuesIn(source, answer, name), name));
      const rows = answerAt(answer, `${name}m`).doc_count ?? 0;
      if (value !== null && rows > 0) {
        stats.count += rows;
        addTo(stats.sum, rows * value);
        if (stats.squares !== null) addTo(stats.squares, rows * value * value);
        stats.min = Math.min(stats.min, value);
        stats.max = Math.max(stats.max, value);
      }
      return stats.count === 0 ? undefined : { kind: 'stats', stats };
    },
  };
}

/** OpenSearch's aggregation with the figures that a kind needs, and no others. */
const FIGURES = {
  avg: 'stats',
  sum: 'stats',
  min: 'min',
  max: 'max',
  valueCount: 'value_count',
  stats: 'stats',
  extendedStats: 'extended_stats',
} as const;

/** Takes over OpenSearch's figures; those that the kind does not need stay as they are without values. */
function addFigures(stats: Stats, kind: keyof typeof FIGURES, answer: AggregationResponse): void {
  const { value = null, count, sum, sum_of_squares: squares, min, max } = answer;
  switch (kind) {
    case 'valueCount':
      stats.count = Number(value);
      return;
    case 'min':
    case 'max':
      if (value === null) return;
      stats.count = 1; // at least
      stats[kind] = Number(value);
      return;
    default:
      if (Number(count ?? 0) === 0) return;
      stats.count = Number(count);
      addTo(stats.sum, Number(sum));
      if (stats.squares !== null) addTo(stats.squares, Number(squares ?? 0));
      stats.min = Number(min);
      stats.max = Number(max);
  }
}

/** Counts string values: each row has each of its values once. */
function countRequest(
  { source, missing }: Metric,
  name: string,
  scope: AggregationScope,
): AggregationRequest {
  const field = sourceField(source, scope);
  const flattened = nestedPathOf(source) !== null;
  const body = (of: string): Json =>
    flattened
      ? { terms: allTerms(of), aggs: backToRows(source, {}) }
      : { value_count: { field: of } };
  const all = source.kind === 'constant' ? EVERY_ROW : null;
  const rest = missing === undefined ? all : (all ?? rowsWithoutValue(source, scope));
  return {
    aggs: {
      ...(field === null ? {} : onValues(source, name, { [name]: body(field) })),
      ...(rest === null ? {} : { [`${name}m`]: rest }),
    },
    read: (answer): Intermediate => {
      const own = answerAt(valuesIn(source, answer, name), name);
      const values = flattened ? pairsIn(source, own, scope) : Number(own['value'] ?? 0);
      const rows = answerAt(answer, `${name}m`).doc_count ?? 0;
      return { kind: 'stats', stats: { ...newStats(), count: values + rows } };
    },
  };
}

/**
 * Counts the pairs of a document and one of its values: elements of a document may share a value.
 */
function pairsIn(
  source: ValueSource,
  answer: AggregationResponse,
  { request }: AggregationScope,
): number {
  let pairs = 0;
  for (const bucket of completeBuckets(answer)) {
    request.addBuckets(1);
    pairs += rowsIn(source, bucket).doc_count ?? 0;
  }
  return pairs;
}

function distinctRequest(
  { source, missing }: Metric,
  name: string,
  scope: AggregationScope,
): AggregationRequest {
  const field = sourceField(source, scope);
  let rest: { readonly key: Key; readonly rows: Json } | null = null;
  if (source.kind === 'constant') rest = { key: source.value, rows: EVERY_ROW };
  else if (missing !== undefined) rest = { key: missing, rows: rowsWithoutValue(source, scope) };
  return {
    aggs: {
      ...(field === null ? {} : onValues(source, name, { [name]: { terms: allTerms(field) } })),
      ...(rest === null ? {} : { [`${name}m`]: rest.rows }),
    },
    read: (answer): Intermediate => {
      const buckets = completeBuckets(answerAt(valuesIn(source, answer, name), name));
      const own = buckets.map(({ key }) => key);
      const rows = answerAt(answer, `${name}m`).doc_count ?? 0;
      const keys = rest === null || rows === 0 || own.includes(rest.key) ? own : [...own, rest.key];
      scope.request.addBuckets(keys.length);
      // Where nothing is merged afterwards, their number is enough.
      if (scope.chooses) return { kind: 'count', count: keys.length };
      const distinct = new DistinctKeys();
      for (const key of keys) distinct.add(key);
      return { kind: 'distinct', keys: distinct };
    },
  };
}
