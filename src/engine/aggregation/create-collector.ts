// Creates the collector for each kind of aggregation; each family has its own file.
import type { Aggregation } from '../../query/aggregation.ts';
import { compositeCollector } from './bucket/composite.ts';
import { histogramCollector } from './bucket/histograms.ts';
import { filtersCollector, rangeCollector } from './bucket/ranges.ts';
import { singleCollector } from './bucket/single.ts';
import { termsCollector } from './bucket/terms.ts';
import type { Collector, IndexAggregation } from './collecting/collector.ts';
import { TopHitsCollector } from './metric/top-hits.ts';
import { metricCollector } from './metric/values.ts';

export function createCollector(aggregation: Aggregation, index: IndexAggregation): Collector {
  switch (aggregation.kind) {
    case 'terms':
      return termsCollector(aggregation, index, createCollector);
    case 'filters':
      return filtersCollector(aggregation, index, createCollector);
    case 'range':
      return rangeCollector(aggregation, index, createCollector);
    case 'histogram':
    case 'dateHistogram':
      return histogramCollector(aggregation, index, createCollector);
    case 'composite':
      return compositeCollector(aggregation, index, createCollector);
    case 'filter':
    case 'nested':
    case 'reverseNested':
    case 'missing':
    case 'global':
      return singleCollector(aggregation, index, createCollector);
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'valueCount':
    case 'cardinality':
    case 'stats':
    case 'extendedStats':
    case 'percentiles':
      return metricCollector(aggregation, index);
    case 'topHits':
      return new TopHitsCollector(aggregation, index);
  }
}
