// Builds the aggregations of an OpenSearch request, and reads the answer: not as a result, but as
// the input of the engine's last phase. So order, gaps, names and texts are produced in one scope
// for both backends.
// Invariant: every bucket is requested; if there are more than OpenSearch returns, that is an
// error, and none is left out.
import type { Aggregation, Aggregations, BucketAggregation } from '../../../query/aggregation.ts';
import { encodedPath } from '../requests/columns.ts';
import { type Json, queryBody } from '../requests/query-to-body.ts';
import {
  type AggregationRequest,
  type AggregationScope,
  answerAt,
  type SubAggregations,
  UNMAPPED_PATH,
} from './aggregation-request.ts';
import { rowsWithoutValue } from './aggregation-source.ts';
import { bucketRequest } from './bucket-body.ts';
import { compositeRequest } from './composite-body.ts';
import { histogramRequest } from './keyed-body.ts';
import { metricRequest } from './metric-body.ts';
import { filtersRequest, rangeRequest } from './numbered-body.ts';
import { percentilesRequest } from './percentiles-body.ts';
import { termsRequest } from './terms-body.ts';
import { topHitsRequest } from './top-hits-body.ts';

/** All aggregations of one level. */
export function requestsOf(aggregations: Aggregations, scope: AggregationScope): SubAggregations {
  const requests = Object.values(aggregations).map((one, at) => requestOf(one, `a${at}`, scope));
  return {
    aggs: Object.assign({}, ...requests.map(({ aggs }) => aggs)) as Record<string, Json>,
    read: (answer) => requests.map((request) => request.read(answer)),
  };
}

function requestOf(
  aggregation: Aggregation,
  name: string,
  scope: AggregationScope,
): AggregationRequest {
  switch (aggregation.kind) {
    case 'terms':
      return termsRequest(aggregation, name, scope, requestsOf);
    case 'filter':
      return singleBucketRequest(
        name,
        { filter: queryBody(aggregation.query, scope) },
        aggregation,
        scope,
      );
    case 'missing': {
      return singleBucketRequest(name, rowsWithoutValue(aggregation.source, scope), aggregation, {
        ...scope,
        takesComposite: false,
      });
    }
    case 'global':
      return globalRequest(name, aggregation, {
        ...{ ...scope, path: null, scored: false, takesComposite: false },
      });
    case 'nested': {
      const { path } = aggregation;
      const mapped = path !== null && scope.mapping.nestedPaths.includes(path);
      if (!mapped || scope.path !== null)
        return unmappedRequest(aggregation, { ...scope, path: UNMAPPED_PATH });
      const below = { ...scope, path };
      return singleBucketRequest(name, { nested: { path: encodedPath(path) } }, aggregation, below);
    }
    case 'reverseNested':
      if (scope.path === null) return NOTHING;
      if (scope.path === UNMAPPED_PATH)
        return unmappedRequest(aggregation, { ...scope, path: null });
      return singleBucketRequest(name, { reverse_nested: {} }, aggregation, {
        ...{ ...scope, path: null, takesComposite: false },
      });
    case 'range':
      return rangeRequest(aggregation, name, scope, requestsOf);
    case 'filters':
      return filtersRequest(aggregation, name, scope, requestsOf);
    case 'histogram':
    case 'dateHistogram':
      return histogramRequest(aggregation, name, scope, requestsOf);
    case 'composite':
      return compositeRequest(aggregation, name, scope, requestsOf);
    case 'topHits':
      return topHitsRequest(aggregation, name, scope);
    case 'percentiles':
      return percentilesRequest(aggregation, name, scope);
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'valueCount':
    case 'cardinality':
    case 'stats':
    case 'extendedStats':
      return metricRequest(aggregation, name, scope);
  }
}

/** Requests no rows; but terms below that go back to documents may need the keys of other rows. */
function unmappedRequest(
  { aggregations }: BucketAggregation,
  scope: AggregationScope,
): AggregationRequest {
  requestsOf(aggregations, scope);
  return NOTHING;
}

const NOTHING: AggregationRequest = { aggs: {}, read: () => undefined };

function singleBucketRequest(
  name: string,
  body: Json,
  { aggregations }: BucketAggregation,
  below: AggregationScope,
): AggregationRequest {
  const bucket = bucketRequest(name, body, requestsOf(aggregations, below));
  return {
    aggs: bucket.aggs,
    read: (answer) => ({ kind: 'bucket', bucket: bucket.read(answer) }),
  };
}

/** All documents, or all of the requested part. */
function globalRequest(
  name: string,
  form: BucketAggregation,
  scope: AggregationScope,
): AggregationRequest {
  if (scope.part === null) return singleBucketRequest(name, { global: {} }, form, scope);
  const part = singleBucketRequest('part', { filter: scope.part }, form, scope);
  return {
    aggs: { [name]: { global: {}, aggs: part.aggs } },
    read: (answer) => part.read(answerAt(answer, name)),
  };
}
