// Builds the response of metrics, with dates and booleans formatted in addition to the number.

import { doubleText } from '../../../query/aggregation/number-text.ts';
import type { MetricAggregation, ValueSource } from '../../../query/aggregation.ts';
import { printIso } from '../../../query/dates/date-format.ts';
import { rounded } from '../collecting/exact-sum.ts';
import { type Intermediate, newStats, type Stats } from '../collecting/intermediate.ts';

type ValueMetric = Exclude<MetricAggregation, { readonly kind: 'topHits' }>;

/** The distance of the bounds of extended_stats, in standard deviations. */
const SIGMA = 2;

export function metricResult(
  aggregation: ValueMetric,
  result: Intermediate | undefined,
): Record<string, unknown> {
  const print = printerOf(aggregation.source);
  const stats = result?.kind === 'stats' ? result.stats : newStats();
  switch (aggregation.kind) {
    case 'valueCount':
      return { value: stats.count };
    case 'cardinality':
      return { value: distinctCount(result) };
    case 'avg':
    case 'sum':
    case 'min':
    case 'max': {
      const value = finite(statsValue(stats, aggregation.kind));
      if (value === null || print === null) return { value };
      return { value, value_as_string: print(value) };
    }
    case 'stats':
      return statsResult(stats, print);
    case 'extendedStats':
      return { ...statsResult(stats, print), ...spreadResult(stats) };
    case 'percentiles':
      return percentilesResult(aggregation, result, print);
  }
}

/**
 * Returns the number to order buckets by, compared as OpenSearch does: NaN without values, except
 * for min and max.
 */
export function metricValue(
  aggregation: ValueMetric,
  result: Intermediate | undefined,
  property: string,
): number {
  const stats = result?.kind === 'stats' ? result.stats : newStats();
  switch (aggregation.kind) {
    case 'valueCount':
      return stats.count;
    case 'cardinality':
      return distinctCount(result);
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
      return statsValue(stats, aggregation.kind);
    case 'percentiles':
      return result?.kind === 'digest'
        ? result.digest.quantile(Number(property) / 100)
        : Number.NaN;
    case 'stats':
    case 'extendedStats':
      return property in SPREAD
        ? (SPREAD[property]?.(stats) ?? Number.NaN)
        : statsValue(stats, property as StatsProperty);
  }
}

function distinctCount(statsMembers: Intermediate | undefined): number {
  if (statsMembers?.kind === 'count') return statsMembers.count;
  return statsMembers?.kind === 'distinct' ? statsMembers.keys.size : 0;
}

type StatsProperty = 'count' | 'avg' | 'sum' | 'min' | 'max';

function statsValue(stats: Stats, property: StatsProperty): number {
  switch (property) {
    case 'count':
      return stats.count;
    case 'avg':
      return stats.count === 0 ? Number.NaN : rounded(stats.sum) / stats.count;
    case 'sum':
      return rounded(stats.sum);
    case 'min':
      return stats.min;
    case 'max':
      return stats.max;
  }
}

function statsResult(
  stats: Stats,
  print: ((value: number) => string) | null,
): Record<string, unknown> {
  const names = ['min', 'max', 'avg', 'sum'] as const;
  const values = names.map((name) => [name, finite(statsValue(stats, name))] as const);
  const statsMembers = { count: stats.count, ...Object.fromEntries(values) };
  if (stats.count === 0 || print === null) return statsMembers;
  const texts = values.map(([name, value]) => [`${name}_as_string`, print(value ?? 0)]);
  return { ...statsMembers, ...Object.fromEntries(texts) };
}

const SPREAD: Readonly<Record<string, (stats: Stats) => number>> = {
  sum_of_squares: (stats) => squaresOf(stats),
  variance: (stats) => variance(stats, stats.count),
  variance_population: (stats) => variance(stats, stats.count),
  variance_sampling: (stats) => variance(stats, stats.count - 1),
  std_deviation: (stats) => Math.sqrt(variance(stats, stats.count)),
  std_deviation_population: (stats) => Math.sqrt(variance(stats, stats.count)),
  std_deviation_sampling: (stats) => Math.sqrt(variance(stats, stats.count - 1)),
};

function squaresOf({ count, squares }: Stats): number {
  return count === 0 || squares === null ? Number.NaN : rounded(squares);
}

function variance(stats: Stats, divisor: number): number {
  const { count } = stats;
  if (count === 0) return Number.NaN;
  const sum = rounded(stats.sum);
  const value = (squaresOf(stats) - (sum * sum) / count) / divisor;
  return value < 0 ? 0 : value;
}

function spreadResult(stats: Stats): Record<string, unknown> {
  const values = Object.entries(SPREAD).map(([name, spreadOf]) => [name, finite(spreadOf(stats))]);
  const bound = (name: string, sign: number): number | null =>
    finite(statsValue(stats, 'avg') + sign * SIGMA * (SPREAD[name]?.(stats) ?? Number.NaN));
  return {
    ...Object.fromEntries(values),
    std_deviation_bounds: {
      upper: bound('std_deviation', 1),
      lower: bound('std_deviation', -1),
      upper_population: bound('std_deviation_population', 1),
      lower_population: bound('std_deviation_population', -1),
      upper_sampling: bound('std_deviation_sampling', 1),
      lower_sampling: bound('std_deviation_sampling', -1),
    },
  };
}

function percentilesResult(
  { percents, keyed }: Extract<ValueMetric, { readonly kind: 'percentiles' }>,
  result: Intermediate | undefined,
  print: ((value: number) => string) | null,
): Record<string, unknown> {
  const values = percents.map((percent) => ({
    percent,
    value: result?.kind === 'digest' ? finite(result.digest.quantile(percent / 100)) : null,
  }));
  if (!keyed) {
    return {
      values: values.map(({ percent, value }) => ({
        key: percent,
        value,
        ...(value !== null && print !== null && { value_as_string: print(value) }),
      })),
    };
  }
  const entries = values.flatMap(({ percent, value }): [string, unknown][] => {
    const key = doubleText(percent);
    const entry: [string, unknown] = [key, value];
    if (value === null || print === null) return [entry];
    return [entry, [`${key}_as_string`, print(value)]];
  });
  return { values: Object.fromEntries(entries) };
}

/** Returns the formatter for the values of a source; null if they have no text form. */
export function printerOf(source: ValueSource): ((value: number) => string) | null {
  if (source.kind !== 'numbers') return null;
  if (source.type === 'date') return printIso;
  return source.type === 'boolean' ? (value) => String(value !== 0) : null;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
