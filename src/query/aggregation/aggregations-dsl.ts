// Reads aggregations in Elasticsearch's form: a map from name to aggregation, each with its
// sub-aggregations. One table lists the supported types; scripts, pipelines and others are rejected
// with name and place.

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
  resolveAggregations,
} from './aggregation-reader.ts';

const TYPES: ReadonlyMap<string, AggregationReader> = new Map(
  Object.entries({ ...BUCKETS, ...METRICS }),
);
const SUB_AGGREGATIONS = ['aggs', 'aggregations'];

/**
 * Reads and validates aggregations.
 * @param place the member that holds them
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
      const position = { ...at, place: `${at.place}.${name.slice(0, 60)}` };
      counter.enter(name, position);
      return [name, nodeOf(body, position, counter)];
    }),
  );
}

function nodeOf(
  value: unknown,
  at: AggregationPlace,
  counter: AggregationCounter,
): AggregationNode {
  const record = objectOf(value, at.place);
  const types = Object.keys(record).filter((name) => !SUB_AGGREGATIONS.includes(name));
  const [type] = types;
  if (type === undefined || types.length > 1) {
    const names = types.length === 0 ? 'none' : types.slice(0, 3).join(', ').slice(0, 80);
    throw invalid(`${at.place}: expected exactly one type of aggregation, found ${names}`);
  }
  const inner = { ...at, place: `${at.place}.${type.slice(0, 60)}` };
  const subAggregations = subAggregationsOf(record, at.place);
  if (type === 'filter') return filterNode(record[type], inner, subAggregations, counter);
  const reader = TYPES.get(type);
  if (reader === undefined) {
    const supported = ['filter', ...TYPES.keys()].join(', ');
    throw invalid(`${inner.place}: is not supported; supported aggregations: ${supported}`);
  }
  const parameters = new Parameters(record[type] ?? {}, inner.place, reader.parameters);
  if (Object.hasOwn(METRICS, type) && subAggregations !== undefined) {
    throw invalid(`${subAggregations.place}: a metric cannot have sub-aggregations`);
  }
  const scope = reader.childScope?.(parameters, at) ?? at.scope;
  const children = childrenOf(subAggregations, { ...at, scope, parent: type }, counter);
  const aggregationFor = reader.read(parameters, inner, counter, children);
  return {
    type,
    children,
    resolve: (target) => aggregationFor(target, resolveAggregations(target, children)),
  };
}

/** Reads `filter`, whose body is a query rather than parameters. */
function filterNode(
  value: unknown,
  at: AggregationPlace,
  subAggregations: SubAggregations | undefined,
  counter: AggregationCounter,
): AggregationNode {
  const query = counter.clauses.clause(value, at.place);
  const children = childrenOf(subAggregations, { ...at, parent: 'filter' }, counter);
  return {
    type: 'filter',
    children,
    resolve: (target) => ({
      kind: 'filter',
      query: query(target.dsl, at.scope),
      aggregations: resolveAggregations(target, children),
    }),
  };
}

/** The `aggs` or `aggregations` member of an aggregation. */
interface SubAggregations {
  readonly value: unknown;
  readonly place: string;
}

function subAggregationsOf(
  record: Readonly<Record<string, unknown>>,
  place: string,
): SubAggregations | undefined {
  const names = SUB_AGGREGATIONS.filter((name) => (record[name] ?? undefined) !== undefined);
  const [name] = names;
  if (name === undefined) return undefined;
  if (names.length > 1) throw invalid(`${place}: expected one of aggs and aggregations`);
  return { value: record[name], place: `${place}.${name}` };
}

function childrenOf(
  subAggregations: SubAggregations | undefined,
  at: AggregationPlace,
  counter: AggregationCounter,
): AggregationNodes {
  if (subAggregations === undefined) return new Map();
  const { value, place } = subAggregations;
  return nodesOf(value, { ...at, place, depth: at.depth + 1 }, counter);
}
