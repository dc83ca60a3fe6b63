// `histogram` and `date_histogram`: keys are values rounded down. Gaps between keys are filled when
// the response is built.
import type { BucketAggregation, DateIntervals } from '../../../query/aggregation.ts';
import type { DateCache } from '../../../query/dates/date-cache.ts';
import type { Collector, CreateCollector, IndexAggregation } from '../collecting/collector.ts';
import { SubAggregations } from '../collecting/sub-aggregations.ts';
import { roundedKeys } from '../keys/keys-of.ts';
import type { Rounding } from '../keys/rounded-ordinals.ts';
import { KeyedCollector } from './keyed.ts';

type Histogram = Extract<BucketAggregation, { readonly kind: 'histogram' | 'dateHistogram' }>;

export function histogramCollector(
  aggregation: Histogram,
  index: IndexAggregation,
  create: CreateCollector,
): Collector {
  const { source, missing: value } = aggregation;
  const rounding = roundingOf(aggregation, index.request.dates);
  const missing = typeof value === 'number' ? rounding.round(value) : undefined;
  const keys = roundedKeys(source, rounding, { missing });
  return new KeyedCollector(
    index,
    keys,
    new SubAggregations(aggregation.aggregations, index, create),
  );
}

export function roundingOf(aggregation: Histogram, dates: DateCache): Rounding {
  return aggregation.kind === 'histogram'
    ? numberRounding(aggregation.interval, aggregation.offset)
    : intervalRounding(aggregation.intervals, dates);
}

/** Rounds down to a multiple of `interval` plus `offset`. */
export function numberRounding(interval: number, offset: number): Rounding {
  return {
    key: `${interval} ${offset}`,
    round: (value) => Math.floor((value - offset) / interval) * interval + offset,
  };
}

/** Rounds down to the start of a calendar or fixed interval. */
export function intervalRounding(intervals: DateIntervals, dates: DateCache): Rounding {
  const rounding = dates.rounding(intervals);
  return { key: JSON.stringify(intervals), round: (value) => rounding.start(value) };
}
