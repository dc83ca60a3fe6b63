// The columns of aggregation results as CSV: one per level of buckets down a chain of aggregations,
// then the number at its end. Only a chain has rows; a DSL tree that is not a chain is rejected by
// name.
import type { Aggregation, Aggregations, MetricAggregation } from '../aggregation.ts';
import { doubleText } from './number-text.ts';

/** One level of the chain, by name; `buckets`: it has several buckets and so a column. */
export interface CsvStep {
  readonly name: string;
  readonly buckets: boolean;
}

export interface CsvMetric {
  readonly name: string;
  readonly path: readonly string[];
  /** Whether it is one of the values, and not calculated from them. */
  readonly isValue: boolean;
}

/** The path to the buckets that become rows, and their metric; null: the number of documents. */
export interface CsvColumns {
  readonly steps: readonly CsvStep[];
  readonly metric: CsvMetric | null;
}

/** Why aggregations cannot be CSV: one sentence with the place and what to change. */
export interface NoCsv {
  readonly problem: string;
}

/**
 * Returns the CSV columns of DSL aggregations.
 * @param aggregations of any one index: names and shape are the same for all
 * @param place the member that holds them
 */
export function csvColumnsOf(aggregations: Aggregations, place: string): CsvColumns | NoCsv {
  const [first, ...others] = Object.entries(aggregations);
  if (first === undefined) return { problem: `${place}: there is no aggregation to write as CSV` };
  if (others.length > 0) {
    const names = Object.keys(aggregations).map((name) => JSON.stringify(name.slice(0, 60)));
    const listed = names.slice(0, 5).join(', ');
    return { problem: `${place}: a CSV has one aggregation at each level, not ${listed}` };
  }
  const [name, aggregation] = first;
  const inPlace = `${place}.${name.slice(0, 60)}`;
  if (!('aggregations' in aggregation)) return metricColumns(name, aggregation, inPlace);
  const problem = problemOf(aggregation);
  if (problem !== null) return { problem: `${inPlace}: ${problem}` };
  const step = { name, buckets: hasColumn(aggregation) };
  if (Object.keys(aggregation.aggregations).length === 0) return { steps: [step], metric: null };
  const below = csvColumnsOf(aggregation.aggregations, `${inPlace}.aggs`);
  return 'problem' in below ? below : { ...below, steps: [step, ...below.steps] };
}

/** Whether the result of a metric is one of the values. */
export function isValue(kind: MetricAggregation['kind']): boolean {
  return kind === 'min' || kind === 'max';
}

type Bucketing = Extract<Aggregation, { readonly aggregations: Aggregations }>;

/** True for aggregations with a bucket per key. */
function hasColumn({ kind }: Bucketing): boolean {
  switch (kind) {
    case 'filter':
    case 'nested':
    case 'reverseNested':
    case 'missing':
    case 'global':
      return false;
    default:
      return true;
  }
}

function problemOf(aggregation: Bucketing): string | null {
  if (aggregation.kind === 'composite')
    return 'composite has an after_key, which a CSV cannot hold';
  if (aggregation.kind === 'filters' && !aggregation.keyed) {
    return 'filters in a list have no names to write into a CSV; give them as an object';
  }
  return null;
}

function metricColumns(
  name: string,
  aggregation: Exclude<Aggregation, Bucketing>,
  place: string,
): CsvColumns | NoCsv {
  switch (aggregation.kind) {
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'valueCount':
    case 'cardinality':
      return {
        steps: [],
        metric: { name, path: [name, 'value'], isValue: isValue(aggregation.kind) },
      };
    case 'percentiles': {
      const [percent, ...others] = aggregation.percents;
      if (percent === undefined || others.length > 0) {
        return { problem: `${place}: a CSV has one number in each row; ask for one percent` };
      }
      const path = aggregation.keyed ? [doubleText(percent)] : ['0', 'value'];
      return { steps: [], metric: { name, path: [name, 'values', ...path], isValue: false } };
    }
    case 'stats':
    case 'extendedStats':
      return {
        problem: `${place}: a CSV has one number in each row; ask for avg, sum, min, max or value_count`,
      };
    case 'topHits':
      return { problem: `${place}: top_hits are documents, which a CSV cannot hold` };
  }
}
