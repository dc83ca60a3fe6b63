// Which collector each kind of aggregation gets; each family has a file of its own.
import type { Aggregation } from '../../query/aggregation.ts';
import { compositeCollector } from './bucket/composite.ts';
import { histogramCollector } from './bucket/histograms.ts';
import { filtersCollector, rangeCollector } from './bucket/ranges.ts';
import { singleCollector } from './bucket/single.ts';
import { termsCollector } from './bucket/terms.ts';
import type { Collector, SegmentPlace } from './collector.ts';
import { TopHitsCollector } from './metric/top-hits.ts';
import { metricCollector } from './metric/values.ts';

/** Binds an aggregation to the rows of a segment. May take long, so it yields. */
export function* createCollector(
  aggregation: Aggregation,
  place: SegmentPlace,
): Generator<void, Collector> {
  switch (aggregation.kind) {
    case 'terms':
      return yield* termsCollector(aggregation, place, createCollector);
    case 'filters':
      return yield* filtersCollector(aggregation, place, createCollector);
    case 'range':
      return yield* rangeCollector(aggregation, place, createCollector);
    case 'histogram':
    case 'dateHistogram':
      return yield* histogramCollector(aggregation, place, createCollector);
    case 'composite':
      return yield* compositeCollector(aggregation, place, createCollector);
    case 'filter':
    case 'nested':
    case 'reverseNested':
    case 'missing':
    case 'global':
      return yield* singleCollector(aggregation, place, createCollector);
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'valueCount':
    case 'cardinality':
    case 'stats':
    case 'extendedStats':
    case 'percentiles':
      return metricCollector(aggregation, place);
    case 'topHits':
      return new TopHitsCollector(aggregation, place);
  }
}
