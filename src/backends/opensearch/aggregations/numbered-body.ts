// Aggregations whose buckets are known beforehand, ranges and filters: each is a query.
import type { Bucket, Key } from '../../../engine/aggregation/intermediate.ts';
import type { Aggregations, BucketAggregation } from '../../../query/aggregation/aggregation.ts';
import type { Query } from '../../../query/query.ts';
import { type Json, MATCH_NONE, queryBody } from '../query-to-body.ts';
import type { AggregationPlace, AskInside, Question } from './aggregation-question.ts';
import { sourceField, withValues } from './aggregation-source.ts';
import { addBucket, bucketQuestion } from './bucket-body.ts';

/** A row counts once in each range, whichever of its values lie there: each range is a query. */
export function rangeQuestion(
  form: Extract<BucketAggregation, { readonly kind: 'range' }>,
  name: string,
  place: AggregationPlace,
  ask: AskInside,
): Question {
  const { source, ranges, missing } = form;
  const filters = ranges.map(({ from, to }): Json => {
    const should: Json[] = [];
    const field = source.kind === 'numbers' ? sourceField(source, place) : null;
    if (source.kind === 'numbers' && field !== null) {
      const { column } = source;
      const bounds = {
        ...(from === undefined ? {} : { gte: from }),
        ...(to === undefined ? {} : { lt: to }),
      };
      const query: Query = { kind: 'numberRange', field: source.field, column, ...bounds };
      const open = from === undefined && to === undefined;
      should.push(withValues(source, open ? { exists: { field } } : queryBody(query, place)));
    }
    const holds = (value: number) =>
      value >= (from ?? Number.NEGATIVE_INFINITY) && value < (to ?? Number.POSITIVE_INFINITY);
    if (typeof missing === 'number' && holds(missing)) {
      const none = field === null ? null : withValues(source, { exists: { field } });
      should.push(none === null ? { match_all: {} } : { bool: { must_not: [none] } });
    }
    return should.length === 0 ? MATCH_NONE : { bool: { should, minimum_should_match: 1 } };
  });
  return numbered(filters, name, form.aggregations, place, ask);
}

export function filtersQuestion(
  form: Extract<BucketAggregation, { readonly kind: 'filters' }>,
  name: string,
  place: AggregationPlace,
  ask: AskInside,
): Question {
  const filters = form.filters.map(({ query }) => queryBody(query, place));
  const other = form.other === null ? [] : [{ bool: { must_not: filters } }];
  return numbered([...filters, ...other], name, form.aggregations, place, ask);
}

/** Buckets that are known beforehand, by number. */
function numbered(
  filters: readonly Json[],
  name: string,
  aggregations: Aggregations,
  place: AggregationPlace,
  ask: AskInside,
): Question {
  const inside = ask(aggregations, place);
  const questions = filters.map((filter, at) =>
    bucketQuestion(`${name}f${at}`, { filter }, inside),
  );
  return {
    aggs: Object.assign({}, ...questions.map(({ aggs }) => aggs)) as Record<string, Json>,
    read: (found) => {
      const buckets = new Map<Key, Bucket>();
      for (const [at, question] of questions.entries()) {
        addBucket(buckets, at, question.read(found), place);
      }
      return { kind: 'buckets', buckets };
    },
  };
}
