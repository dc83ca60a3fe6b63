// `histogram` and `date_histogram`: keys are values rounded down. Gaps between keys are filled when all segments are
// together.
import type { BucketAggregation } from '../../../query/aggregation.ts';
import { dateRounding } from '../../../query/date-intervals.ts';
import { type Collector, type CreateCollector, insideOf, type SegmentPlace } from '../collector.ts';
import { roundedColumn, withMissing } from '../key-column.ts';
import { KeyedCollector } from './keyed.ts';

type Histogram = Extract<BucketAggregation, { readonly kind: 'histogram' | 'dateHistogram' }>;

export function* histogramCollector(
  aggregation: Histogram,
  place: SegmentPlace,
  create: CreateCollector,
): Generator<void, Collector> {
  const { source, missing } = aggregation;
  const round = roundingOf(aggregation);
  const absent = typeof missing === 'number' ? round(missing) : undefined;
  const keys = withMissing(roundedColumn(source, place, round), absent);
  const inside = yield* insideOf(aggregation.aggregations, place, create);
  return new KeyedCollector(place.index, keys, inside);
}

/** How a histogram rounds. */
export function roundingOf(aggregation: Histogram): (value: number) => number {
  if (aggregation.kind === 'histogram') {
    const { interval, offset } = aggregation;
    return (value) => Math.floor((value - offset) / interval) * interval + offset;
  }
  const rounding = dateRounding(aggregation.intervals);
  return (value) => rounding.start(value);
}
