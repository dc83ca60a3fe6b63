// Aggregations in Elasticsearch's form: a map from names to aggregations, each with those inside it. What is served
// stands in one table; scripts, pipelines and the like are refused by name and place.

import { invalid } from '../body.ts';
import { objectOf, Parameters } from '../dsl/dsl-parameters.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { ROOT } from '../mapping/field-names.ts';
import { BUCKETS } from './aggregation-buckets.ts';
import { METRICS } from './aggregation-metrics.ts';
import {
  AggregationCounter,
  type AggregationNode,
  type AggregationNodes,
  type AggregationPlace,
  type AggregationReader,
  putTo,
} from './aggregation-reader.ts';

const TYPES: ReadonlyMap<string, AggregationReader> = new Map(
  Object.entries({ ...BUCKETS, ...METRICS }),
);
const INSIDE = ['aggs', 'aggregations'];

/**
 * Reads and checks aggregations.
 * @param place the member they came in
 * @throws ServiceError `request_invalid`, `query_malformed` with the place; `limit_exceeded`
 */
export function readAggregationsDsl(
  value: unknown,
  place: string,
  clauses: ClauseReader,
): AggregationNodes {
  const counter = new AggregationCounter(clauses);
  return nodesOf(value, { place, scope: ROOT, depth: 1, parent: null }, counter);
}

function nodesOf(
  value: unknown,
  at: AggregationPlace,
  counter: AggregationCounter,
): AggregationNodes {
  return new Map(
    Object.entries(objectOf(value, at.place)).map(([name, body]) => {
      const inside = { ...at, place: `${at.place}.${name.slice(0, 60)}` };
      counter.enter(name, inside);
      return [name, nodeOf(body, inside, counter)];
    }),
  );
}

function nodeOf(
  value: unknown,
  at: AggregationPlace,
  counter: AggregationCounter,
): AggregationNode {
  const record = objectOf(value, at.place);
  const types = Object.keys(record).filter((name) => !INSIDE.includes(name));
  const [type] = types;
  if (type === undefined || types.length > 1) {
    const found = types.length === 0 ? 'none' : types.slice(0, 3).join(', ').slice(0, 80);
    throw invalid(`${at.place}: expected exactly one type of aggregation, found ${found}`);
  }
  const inner = { ...at, place: `${at.place}.${type.slice(0, 60)}` };
  const inside = insideOf(record, at.place);
  if (type === 'filter') return filterNode(record[type], inner, inside, counter);
  const reader = TYPES.get(type);
  if (reader === undefined) {
    const served = ['filter', ...TYPES.keys()].join(', ');
    throw invalid(`${inner.place}: is not served; these aggregations are: ${served}`);
  }
  const parameters = new Parameters(record[type] ?? {}, inner.place, reader.parameters);
  if (Object.hasOwn(METRICS, type) && inside !== undefined) {
    throw invalid(`${inside.place}: a metric has no aggregations inside`);
  }
  const scope = reader.childScope?.(parameters, at) ?? at.scope;
  const children = childrenOf(inside, { ...at, scope, parent: type }, counter);
  const resolve = reader.read(parameters, inner, counter, children);
  return { type, children, on: (target) => resolve(target, putTo(target, children)) };
}

/** `filter` holds a query where the others hold parameters. */
function filterNode(
  value: unknown,
  at: AggregationPlace,
  inside: Inside | undefined,
  counter: AggregationCounter,
): AggregationNode {
  const query = counter.clauses.clause(value, at.place);
  const children = childrenOf(inside, { ...at, parent: 'filter' }, counter);
  return {
    type: 'filter',
    children,
    on: (target) => ({
      kind: 'filter',
      query: query(target.dsl, at.scope),
      aggregations: putTo(target, children),
    }),
  };
}

interface Inside {
  readonly value: unknown;
  readonly place: string;
}

function insideOf(record: Readonly<Record<string, unknown>>, place: string): Inside | undefined {
  const names = INSIDE.filter((name) => (record[name] ?? undefined) !== undefined);
  const [name] = names;
  if (name === undefined) return undefined;
  if (names.length > 1) throw invalid(`${place}: expected one of aggs and aggregations`);
  return { value: record[name], place: `${place}.${name}` };
}

function childrenOf(
  inside: Inside | undefined,
  at: AggregationPlace,
  counter: AggregationCounter,
): AggregationNodes {
  if (inside === undefined) return new Map();
  return nodesOf(inside.value, { ...at, place: inside.place, depth: at.depth + 1 }, counter);
}
