// Reads the order of buckets: by count, by key, or by a metric of each bucket. A metric path must
// name an existing sub-aggregation, so that a typing error is reported rather than ignored.

import type { BucketOrder } from '../aggregation.ts';
import { invalid } from '../body.ts';
import { objectOf, type Parameters } from '../dsl/dsl-parameters.ts';
import type { QueryLimits } from '../limits.ts';
import type { AggregationNode, AggregationNodes } from './aggregation-reader.ts';
import { checkSortKeys, orderOf } from './aggregation-top-hits.ts';

/** Single-bucket types: a metric path may pass through them. */
const SINGLE_BUCKET = new Set(['filter', 'nested', 'reverse_nested', 'missing', 'global']);
const SINGLE_VALUE = new Set(['avg', 'sum', 'min', 'max', 'value_count', 'cardinality']);
const STATS = ['count', 'min', 'max', 'avg', 'sum'];
const EXTENDED = [
  ...STATS,
  'sum_of_squares',
  'variance',
  'variance_population',
  'variance_sampling',
  'std_deviation',
  'std_deviation_population',
  'std_deviation_sampling',
];

/** Reads `order`: `{"_count": "asc"}` or a list of such objects. */
export function bucketOrder(
  parameters: Parameters,
  byDefault: readonly BucketOrder[],
  children: AggregationNodes,
  limits: QueryLimits,
): readonly BucketOrder[] {
  const value = parameters.get('order');
  const place = parameters.pathOf('order');
  if (value === undefined) return byDefault;
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw invalid(`${place}: expected at least one criterion`);
  checkSortKeys(list.length, place, limits);
  return list.map((criterion, at) => {
    const inPlace = Array.isArray(value) ? `${place}[${at}]` : place;
    const record = objectOf(criterion, inPlace);
    const [name, ...others] = Object.keys(record);
    if (name === undefined || others.length > 0) {
      throw invalid(`${inPlace}: expected one criterion with asc or desc`);
    }
    const order = orderOf(lowerCased(record[name]), `${inPlace}.${name.slice(0, 60)}`);
    if (name === '_count') return { by: 'count', order };
    if (name === '_key' || name === '_term') return { by: 'key', order };
    return { by: 'metric', order, ...metricPath(name, inPlace, children) };
  });
}

function lowerCased(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function metricPath(
  text: string,
  place: string,
  children: AggregationNodes,
): { readonly path: readonly string[]; readonly property: string } {
  const path = text.split('>');
  const last = path.pop() ?? '';
  let level = children;
  for (const name of path) {
    const node = nodeOf(level, name, text, place);
    if (!SINGLE_BUCKET.has(node.type)) {
      throw invalid(`${place}: ${name} has several buckets, so the path cannot pass through it`);
    }
    level = node.children;
  }
  if (last === '_count' && path.length > 0) return { path, property: '_count' };
  const direct = level.get(last);
  if (direct !== undefined) {
    return { path: [...path, last], property: onlyPropertyOf(direct, text, place) };
  }
  const { name, property } = splitProperty(last);
  const node = nodeOf(level, name, text, place);
  return { path: [...path, name], property: propertyOf(node, property, text, place) };
}

/** `name.property` or `name[property]`. */
function splitProperty(text: string): { readonly name: string; readonly property: string } {
  const bracket = /^(.*)\[([^\]]*)\]$/.exec(text);
  if (bracket !== null) return { name: bracket[1] ?? '', property: bracket[2] ?? '' };
  const dot = text.indexOf('.');
  return dot === -1
    ? { name: text, property: '' }
    : { name: text.slice(0, dot), property: text.slice(dot + 1) };
}

function nodeOf(
  level: AggregationNodes,
  name: string,
  path: string,
  place: string,
): AggregationNode {
  const node = level.get(name);
  if (node !== undefined) return node;
  const shown = JSON.stringify(path.slice(0, 100));
  throw invalid(`${place}: ${shown} names no sub-aggregation; _count and _key always work`);
}

function onlyPropertyOf(node: AggregationNode, path: string, place: string): string {
  if (SINGLE_VALUE.has(node.type)) return 'value';
  if (SINGLE_BUCKET.has(node.type)) return '_count';
  throw invalid(`${place}: ${path.slice(0, 100)} is not a single number; name one of its members`);
}

function propertyOf(node: AggregationNode, property: string, path: string, place: string): string {
  if (SINGLE_VALUE.has(node.type) && property === 'value') return property;
  if (SINGLE_BUCKET.has(node.type) && property === '_count') return property;
  if (node.type === 'stats' && STATS.includes(property)) return property;
  if (node.type === 'extended_stats' && EXTENDED.includes(property)) return property;
  if (node.type === 'percentiles' && property !== '' && Number.isFinite(Number(property))) {
    return String(Number(property));
  }
  throw invalid(`${place}: ${path.slice(0, 100)} is not a number to order by`);
}
