// Aggregations in the vendor's own form: one chain of nested, filter, bucket and metric, and such a chain again
// inside. It becomes the same nodes as the other form, and beside them the columns of its CSV.

import { invalid, type Members } from '../body.ts';
import { UTC } from '../dates/time-zone.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { valuesQuery } from '../language/field-query.ts';
import { limitFault } from '../limits.ts';
import { ROOT, type Scope } from '../mapping/field-names.ts';
import type { Aggregation, BucketOrder } from './aggregation.ts';
import {
  AggregationCounter,
  type AggregationNode,
  type AggregationNodes,
  putTo,
} from './aggregation-reader.ts';
import type { AggregationTarget } from './aggregation-source.ts';
import type { CsvColumns, CsvStep } from './csv-columns.ts';

export interface SailpointAggregations {
  readonly nodes: AggregationNodes;
  readonly csv: CsvColumns;
}

/**
 * Reads and checks `aggregations`.
 * @throws ServiceError `body_malformed`, `request_invalid`, `limit_exceeded`
 */
export function readAggregationsSailpoint(
  body: Members,
  clauses: ClauseReader,
): SailpointAggregations {
  const counter = new AggregationCounter(clauses);
  const level = readLevel(body, 'aggregations', { scope: ROOT, depth: 1, parent: null }, counter);
  if (level.nodes.size === 0) {
    throw invalid('aggregations: expected a metric, a bucket, a filter or a nested');
  }
  return level;
}

interface Level {
  readonly scope: Scope;
  readonly depth: number;
  /** The type of the aggregation around it; null at the top. */
  readonly parent: string | null;
}

/** A level being put together from the inside out. */
type Wrap = (inside: SailpointAggregations) => SailpointAggregations;

const PARTS = ['nested', 'filter', 'bucket', 'metric', 'subAggregation'];
const BY_COUNT: readonly BucketOrder[] = [{ by: 'count', order: 'desc' }];
const METRICS = {
  COUNT: { kind: 'valueCount', type: 'value_count', wanted: 'any' },
  UNIQUE_COUNT: { kind: 'cardinality', type: 'cardinality', wanted: 'any' },
  AVG: { kind: 'avg', type: 'avg', wanted: 'number' },
  SUM: { kind: 'sum', type: 'sum', wanted: 'number' },
  MIN: { kind: 'min', type: 'min', wanted: 'number' },
  MAX: { kind: 'max', type: 'max', wanted: 'number' },
  MEDIAN: { kind: 'percentiles', type: 'percentiles', wanted: 'number' },
} as const;

function readLevel(
  parent: Members,
  member: string,
  { scope, depth, parent: around }: Level,
  counter: AggregationCounter,
): SailpointAggregations {
  const body = parent.members(member);
  const place = parent.pathOf(member);
  if (body === undefined) return { nodes: new Map(), csv: { steps: [], metric: null } };
  const { maxAggregationDepth } = counter.clauses.limits;
  if (depth > maxAggregationDepth) {
    throw limitFault('maxAggregationDepth', maxAggregationDepth, 'levels of aggregations');
  }
  for (const name of body.names()) {
    if (!PARTS.includes(name)) {
      throw invalid(`${body.pathOf(name).slice(0, 200)}: expected one of ${PARTS.join(', ')}`);
    }
  }
  const wraps: Wrap[] = [];
  let inner = scope;
  let innermost = around;
  const enter = (name: string, at: string, parent = innermost) =>
    counter.enter(name, { place: at, scope: inner, depth: 1, parent });
  const nested = body.members('nested');
  if (nested !== undefined) {
    const { name, path } = readNested(nested, enter);
    wraps.push(inNested(name, path, inner));
    inner = { nested: path };
    innermost = 'nested';
  }
  for (const part of ['filter', 'bucket'] as const) {
    const members = body.members(part);
    if (members === undefined) continue;
    const field = fieldOf(members, inner);
    if (field.implicit !== null) {
      wraps.push(inNested(field.implicit, field.implicit, inner));
      inner = { nested: field.implicit };
      innermost = 'nested';
    }
    enter(nameOf(members), members.pathOf('name'));
    innermost = part === 'filter' ? 'filter' : 'terms';
    wraps.push(
      part === 'filter'
        ? inFilter(members, field.name, inner, counter.clauses)
        : inBucket(members, field.name, inner, counter.clauses),
    );
  }
  const metric = body.members('metric');
  if (metric !== undefined) {
    const name = nameOf(metric);
    const implicit = fieldOf(metric, inner).implicit !== null;
    enter(name, metric.pathOf('name'), implicit ? 'nested' : innermost);
  }
  const next = { scope: inner, depth: depth + 1, parent: innermost };
  const below = readLevel(body, 'subAggregation', next, counter);
  const found = joined(metric && readMetric(metric, inner), below, place);
  return wraps.reduceRight((inside, wrap) => wrap(inside), found);
}

function nameOf(members: Members): string {
  const name = members.string('name');
  if (name !== undefined && name.trim() !== '') return name;
  throw invalid(`${members.pathOf('name')}: is required`);
}

/** The published schema has the path in `type`, the published examples in `field`. */
function readNested(
  members: Members,
  enter: (name: string, at: string) => void,
): { readonly name: string; readonly path: string } {
  const name = nameOf(members);
  enter(name, members.pathOf('name'));
  const field = members.string('field');
  const path = (field === undefined || field === '' ? members.string('type') : field) ?? '';
  if (path === '') throw invalid(`${members.pathOf('type')}: expected the path of an array`);
  return { name, path: path.replace(/^@/, '') };
}

/** The field of a part; with `@` outside of nested it brings a nested level of its own. */
function fieldOf(
  members: Members,
  scope: Scope,
): { readonly name: string; readonly implicit: string | null } {
  const text = members.string('field')?.trim() ?? '';
  if (text === '' || text === '@') throw invalid(`${members.pathOf('field')}: is required`);
  const name = text.replace(/^@/, '');
  if (scope.nested !== null) return { name: below(scope.nested, name), implicit: null };
  if (!text.startsWith('@')) return { name, implicit: null };
  const dot = name.indexOf('.');
  return { name, implicit: dot === -1 ? name : name.slice(0, dot) };
}

/** Inside a nested level a name may be written from there or from the root. */
function below(path: string, name: string): string {
  return name === '_id' || name.startsWith(`${path}.`) ? name : `${path}.${name}`;
}

function inNested(name: string, path: string, { nested }: Scope): Wrap {
  return ({ nodes, csv }) => {
    const node: AggregationNode = {
      type: 'nested',
      children: nodes,
      on: (target) => ({
        kind: 'nested',
        path: nested === null && target.mapping.nestedPaths.includes(path) ? path : null,
        aggregations: putTo(target, nodes),
      }),
    };
    return { nodes: new Map([[name, node]]), csv: stepTo({ name, buckets: false }, csv) };
  };
}

function inFilter(members: Members, field: string, scope: Scope, clauses: ClauseReader): Wrap {
  const name = nameOf(members);
  oneOf(members, 'type', ['TERM']);
  const value = members.get('value');
  if (value === undefined) throw invalid(`${members.pathOf('value')}: is required`);
  if (typeof value === 'object') members.string('value');
  const dates = { now: clauses.now, zone: UTC };
  return ({ nodes, csv }) => {
    const node: AggregationNode = {
      type: 'filter',
      children: nodes,
      on: (target) => ({
        kind: 'filter',
        query: target.dsl.onName(
          field,
          scope,
          members.pathOf('value'),
          { kind: 'phrase', text: String(value), slop: 0 },
          (found, exact) => valuesQuery([String(value)], found, exact, dates),
        ),
        aggregations: putTo(target, nodes),
      }),
    };
    return { nodes: new Map([[name, node]]), csv: stepTo({ name, buckets: false }, csv) };
  };
}

function inBucket(members: Members, field: string, scope: Scope, clauses: ClauseReader): Wrap {
  const name = nameOf(members);
  oneOf(members, 'type', ['TERMS']);
  const { maxBuckets } = clauses.limits;
  const size = integer(members, 'size', 1) ?? 10;
  if (size > maxBuckets) throw limitFault('maxBuckets', maxBuckets, 'buckets in one aggregation');
  const minDocCount = integer(members, 'minDocCount', 0) ?? 1;
  return ({ nodes, csv }) => {
    const node: AggregationNode = {
      type: 'terms',
      children: nodes,
      on: (target) => ({
        kind: 'terms',
        source: target.source(field, 'any', scope, members.pathOf('field')),
        size,
        minDocCount,
        order: BY_COUNT,
        aggregations: putTo(target, nodes),
      }),
    };
    return { nodes: new Map([[name, node]]), csv: stepTo({ name, buckets: true }, csv) };
  };
}

/** A metric; with `@` outside of nested it stands in a nested level of its own. */
function readMetric(members: Members, scope: Scope): SailpointAggregations {
  const name = nameOf(members);
  const { kind, type, wanted } = METRICS[oneOf(members, 'type', METRIC_TYPES) ?? 'UNIQUE_COUNT'];
  const field = fieldOf(members, scope);
  const inner = field.implicit === null ? scope : { nested: field.implicit };
  const on = (target: AggregationTarget): Aggregation => {
    const source = target.source(field.name, wanted, inner, members.pathOf('field'));
    if (kind === 'percentiles') return { kind, source, percents: [50], keyed: true };
    return { kind, source };
  };
  const node: AggregationNode = { type, children: new Map(), on };
  const path = kind === 'percentiles' ? ['values', '50.0'] : ['value'];
  const found: SailpointAggregations = {
    nodes: new Map([[name, node]]),
    csv: { steps: [], metric: { name, path: [name, ...path] } },
  };
  return field.implicit === null ? found : inNested(field.implicit, field.implicit, scope)(found);
}

const METRIC_TYPES = Object.keys(METRICS) as (keyof typeof METRICS)[];

/** Metric and sub-aggregation side by side; a CSV shows the sub-aggregation. */
function joined(
  metric: SailpointAggregations | undefined,
  sub: SailpointAggregations,
  place: string,
): SailpointAggregations {
  if (metric === undefined) return sub;
  if (sub.nodes.size === 0) return metric;
  for (const [name, node] of metric.nodes) {
    const other = sub.nodes.get(name);
    if (other === undefined) continue;
    if (node.type !== 'nested' || other.type !== 'nested') {
      throw invalid(`${place}: two aggregations are named ${JSON.stringify(name.slice(0, 60))}`);
    }
    // Both came from an `@path`: they share the one level.
    const children = new Map([...node.children, ...other.children]);
    const both: AggregationNode = {
      ...node,
      children,
      on: (target) =>
        ({ ...node.on(target), aggregations: putTo(target, children) }) as Aggregation,
    };
    return { nodes: new Map([...sub.nodes, [name, both]]), csv: sub.csv };
  }
  return { nodes: new Map([...metric.nodes, ...sub.nodes]), csv: sub.csv };
}

function stepTo(step: CsvStep, { steps, metric }: CsvColumns): CsvColumns {
  return { steps: [step, ...steps], metric };
}

function oneOf<T extends string>(
  members: Members,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = members.string(name);
  if (value === undefined) return undefined;
  const found = allowed.find((one) => one === value);
  if (found !== undefined) return found;
  const shown = JSON.stringify(value.slice(0, 60));
  throw invalid(`${members.pathOf(name)}: ${shown} is none of ${allowed.join(', ')}`);
}

function integer(members: Members, name: string, least: number): number | undefined {
  const value = members.get(name);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < least) {
    throw invalid(`${members.pathOf(name)}: expected a whole number from ${least} on`);
  }
  return number;
}
