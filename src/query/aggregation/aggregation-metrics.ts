// Reads metric aggregations: figures calculated from the values of the rows of a bucket.

import type { MetricAggregation } from '../aggregation.ts';
import { invalid } from '../body.ts';
import { type AggregationReader, fieldParameter, missingParameter } from './aggregation-reader.ts';
import { type AcceptedValues, type AggregationTarget, missingFor } from './aggregation-source.ts';
import { topHits } from './aggregation-top-hits.ts';

type ValueMetric = Exclude<MetricAggregation['kind'], 'percentiles' | 'topHits'>;

const DEFAULT_PERCENTS: readonly number[] = [1, 5, 25, 50, 75, 95, 99];

function metric(kind: ValueMetric, accepted: AcceptedValues): AggregationReader {
  return {
    parameters: ['field', 'missing'],
    read: (parameters, { scope }, { clauses }) => {
      const field = fieldParameter(parameters);
      const missing = missingParameter(parameters);
      return (target: AggregationTarget) => {
        const source = target.source(field, accepted, scope, parameters.pathOf('field'));
        if (missing === undefined) return { kind, source };
        const place = parameters.pathOf('missing');
        return { kind, source, missing: missingFor(source, missing, place, clauses) };
      };
    },
  };
}

const percentiles: AggregationReader = {
  parameters: ['field', 'missing', 'percents', 'keyed'],
  read: (parameters, { scope }, { clauses }) => {
    const field = fieldParameter(parameters);
    const missing = missingParameter(parameters);
    const percents = percentsOf(parameters.get('percents'), parameters.pathOf('percents'));
    if (percents.length > clauses.limits.maxClauses) {
      throw invalid(`${parameters.pathOf('percents')}: too many percents`);
    }
    const keyed = parameters.boolean('keyed') ?? true;
    return (target) => {
      const source = target.source(field, 'number', scope, parameters.pathOf('field'));
      const place = parameters.pathOf('missing');
      const value =
        missing === undefined ? {} : { missing: missingFor(source, missing, place, clauses) };
      return { kind: 'percentiles', source, percents, keyed, ...value };
    };
  },
};

/** Reads `percents`; returned in ascending order, as in the response. */
function percentsOf(value: unknown, place: string): readonly number[] {
  if (value === undefined) return DEFAULT_PERCENTS;
  if (!Array.isArray(value) || value.length === 0) {
    throw invalid(`${place}: expected at least one number from 0 to 100`);
  }
  for (const [at, percent] of value.entries()) {
    if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) {
      throw invalid(`${place}[${at}]: expected a number from 0 to 100`);
    }
  }
  return (value as number[]).toSorted((a, b) => a - b);
}

/** Readers by the type name of the request. */
export const METRICS: Readonly<Record<string, AggregationReader>> = {
  avg: metric('avg', 'number'),
  sum: metric('sum', 'number'),
  min: metric('min', 'number'),
  max: metric('max', 'number'),
  value_count: metric('valueCount', 'any'),
  cardinality: metric('cardinality', 'any'),
  stats: metric('stats', 'number'),
  extended_stats: metric('extendedStats', 'number'),
  percentiles,
  top_hits: topHits,
};
