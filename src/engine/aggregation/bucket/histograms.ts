// `histogram` and `date_histogram`: keys are values rounded down. Gaps between keys are filled when all segments are
// together.
import type { BucketAggregation, DateIntervals } from '../../../query/aggregation.ts';
import { dateRounding } from '../../../query/date-intervals.ts';
import { type Collector, type CreateCollector, insideOf, type SegmentPlace } from '../collector.ts';
import { roundedColumn, withMissing } from '../key-column.ts';
import type { Rounding } from '../rounded-ordinals.ts';
import { KeyedCollector } from './keyed.ts';

type Histogram = Extract<BucketAggregation, { readonly kind: 'histogram' | 'dateHistogram' }>;

export function* histogramCollector(
  aggregation: Histogram,
  place: SegmentPlace,
  create: CreateCollector,
): Generator<void, Collector> {
  const { source, missing } = aggregation;
  const rounding = roundingOf(aggregation);
  const absent = typeof missing === 'number' ? rounding.round(missing) : undefined;
  const keys = withMissing(yield* roundedColumn(source, place, rounding), absent);
  const inside = yield* insideOf(aggregation.aggregations, place, create);
  return new KeyedCollector(place.index, keys, inside);
}

/** How a histogram rounds. */
export function roundingOf(aggregation: Histogram): Rounding {
  return aggregation.kind === 'histogram'
    ? numberRounding(aggregation.interval, aggregation.offset)
    : intervalRounding(aggregation.intervals);
}

/** Down to a multiple of `interval` plus `offset`. */
export function numberRounding(interval: number, offset: number): Rounding {
  return {
    key: `${interval} ${offset}`,
    round: (value) => Math.floor((value - offset) / interval) * interval + offset,
  };
}

/** Down to where an interval of the calendar or the clock begins. */
export function intervalRounding(intervals: DateIntervals): Rounding {
  const rounding = dateRounding(intervals);
  return { key: JSON.stringify(intervals), round: (value) => rounding.start(value) };
}
