// Aggregations with fixed buckets, ranges and filters: each bucket is a query.
import type { Bucket, Key } from '../../../engine/aggregation/collecting/intermediate.ts';
import type { Aggregations, BucketAggregation } from '../../../query/aggregation.ts';
import type { Query } from '../../../query/query.ts';
import { type Json, MATCH_NONE, queryBody } from '../requests/query-to-body.ts';
import type {
  AggregationRequest,
  AggregationScope,
  BuildSubAggregations,
} from './aggregation-request.ts';
import { sourceField, withValues } from './aggregation-source.ts';
import { addBucket, bucketRequest } from './bucket-body.ts';

/** A row counts once in each range that has any of its values, so each range is a query. */
export function rangeRequest(
  form: Extract<BucketAggregation, { readonly kind: 'range' }>,
  name: string,
  scope: AggregationScope,
  build: BuildSubAggregations,
): AggregationRequest {
  const { source, ranges, missing } = form;
  const filters = ranges.map(({ from, to }): Json => {
    const should: Json[] = [];
    const field = source.kind === 'numbers' ? sourceField(source, scope) : null;
    if (source.kind === 'numbers' && field !== null) {
      const { column } = source;
      const bounds = {
        ...(from === undefined ? {} : { gte: from }),
        ...(to === undefined ? {} : { lt: to }),
      };
      const query: Query = { kind: 'numberRange', field: source.field, column, ...bounds };
      const open = from === undefined && to === undefined;
      should.push(withValues(source, open ? { exists: { field } } : queryBody(query, scope)));
    }
    const contains = (value: number) =>
      value >= (from ?? Number.NEGATIVE_INFINITY) && value < (to ?? Number.POSITIVE_INFINITY);
    if (typeof missing === 'number' && contains(missing)) {
      const none = field === null ? null : withValues(source, { exists: { field } });
      should.push(none === null ? { match_all: {} } : { bool: { must_not: [none] } });
    }
    return should.length === 0 ? MATCH_NONE : { bool: { should, minimum_should_match: 1 } };
  });
  return filterBuckets(filters, name, form.aggregations, scope, build);
}

export function filtersRequest(
  form: Extract<BucketAggregation, { readonly kind: 'filters' }>,
  name: string,
  scope: AggregationScope,
  build: BuildSubAggregations,
): AggregationRequest {
  const filters = form.filters.map(({ query }) => queryBody(query, scope));
  const other = form.other === null ? [] : [{ bool: { must_not: filters } }];
  return filterBuckets([...filters, ...other], name, form.aggregations, scope, build);
}

/** Fixed buckets, by number. */
function filterBuckets(
  filters: readonly Json[],
  name: string,
  aggregations: Aggregations,
  scope: AggregationScope,
  build: BuildSubAggregations,
): AggregationRequest {
  const inside = build(aggregations, { ...scope, takesComposite: false });
  const bucketRequests = filters.map((filter, at) =>
    bucketRequest(`${name}f${at}`, { filter }, inside),
  );
  return {
    aggs: Object.assign({}, ...bucketRequests.map(({ aggs }) => aggs)) as Record<string, Json>,
    read: (answer) => {
      const buckets = new Map<Key, Bucket>();
      for (const [at, request] of bucketRequests.entries()) {
        addBucket(buckets, at, request.read(answer), scope);
      }
      return { kind: 'buckets', buckets };
    },
  };
}
