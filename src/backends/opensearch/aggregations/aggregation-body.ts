// Aggregations as OpenSearch is asked for them, and how its answer is read: not as a result, but as
// what the engine's own last phase takes. So order, gaps, names and texts are made in one place,
// whoever counted.
// Invariant: every bucket is asked for; where there are more than OpenSearch gives, that is told,
// never left out.
import type {
  Aggregation,
  Aggregations,
  BucketAggregation,
} from '../../../query/aggregation/aggregation.ts';
import { encodedPath } from '../columns.ts';
import { type Json, queryBody } from '../query-to-body.ts';
import {
  type AggregationPlace,
  foundAt,
  type Inside,
  NOWHERE,
  type Question,
} from './aggregation-question.ts';
import { absent } from './aggregation-source.ts';
import { bucketQuestion } from './bucket-body.ts';
import { compositeQuestion } from './composite-body.ts';
import { histogramQuestion, termsQuestion } from './keyed-body.ts';
import { metricQuestion } from './metric-body.ts';
import { filtersQuestion, rangeQuestion } from './numbered-body.ts';
import { percentilesQuestion } from './percentiles-body.ts';
import { topHitsQuestion } from './top-hits-body.ts';

/** All aggregations of one level. */
export function questionsOf(aggregations: Aggregations, place: AggregationPlace): Inside {
  const questions = Object.values(aggregations).map((one, at) => questionOf(one, `a${at}`, place));
  return {
    aggs: Object.assign({}, ...questions.map(({ aggs }) => aggs)) as Record<string, Json>,
    read: (found) => questions.map((question) => question.read(found)),
  };
}

function questionOf(aggregation: Aggregation, name: string, place: AggregationPlace): Question {
  switch (aggregation.kind) {
    case 'terms':
      return termsQuestion(aggregation, name, place, questionsOf);
    case 'filter':
      return single(name, { filter: queryBody(aggregation.query, place) }, aggregation, place);
    case 'missing': {
      return single(name, absent(aggregation.source, place), aggregation, place);
    }
    case 'global':
      return globalQuestion(name, aggregation, { ...place, path: null, scored: false });
    case 'nested': {
      const { path } = aggregation;
      const known = path !== null && place.mapping.nestedPaths.includes(path);
      if (!known || place.path !== null) return nothing(aggregation, { ...place, path: NOWHERE });
      const below = { ...place, path };
      return single(name, { nested: { path: encodedPath(path) } }, aggregation, below);
    }
    case 'reverseNested':
      if (place.path === null) return NOTHING;
      if (place.path === NOWHERE) return nothing(aggregation, { ...place, path: null });
      return single(name, { reverse_nested: {} }, aggregation, { ...place, path: null });
    case 'range':
      return rangeQuestion(aggregation, name, place, questionsOf);
    case 'filters':
      return filtersQuestion(aggregation, name, place, questionsOf);
    case 'histogram':
    case 'dateHistogram':
      return histogramQuestion(aggregation, name, place, questionsOf);
    case 'composite':
      return compositeQuestion(aggregation, name, place, questionsOf);
    case 'topHits':
      return topHitsQuestion(aggregation, name, place);
    case 'percentiles':
      return percentilesQuestion(aggregation, name, place);
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'valueCount':
    case 'cardinality':
    case 'stats':
    case 'extendedStats':
      return metricQuestion(aggregation, name, place);
  }
}

/**
 * No rows are asked for; but back at the documents terms inside may want the keys that other rows
 * have.
 */
function nothing({ aggregations }: BucketAggregation, place: AggregationPlace): Question {
  questionsOf(aggregations, place);
  return NOTHING;
}

const NOTHING: Question = { aggs: {}, read: () => undefined };

function single(
  name: string,
  body: Json,
  { aggregations }: BucketAggregation,
  below: AggregationPlace,
): Question {
  const bucket = bucketQuestion(name, body, questionsOf(aggregations, below));
  return {
    aggs: bucket.aggs,
    read: (found) => ({ kind: 'bucket', bucket: bucket.read(found) }),
  };
}

/** All documents, or all of the part that is asked. */
function globalQuestion(name: string, form: BucketAggregation, place: AggregationPlace): Question {
  if (place.part === null) return single(name, { global: {} }, form, place);
  const part = single('part', { filter: place.part }, form, place);
  return {
    aggs: { [name]: { global: {}, aggs: part.aggs } },
    read: (found) => part.read(foundAt(found, name)),
  };
}
