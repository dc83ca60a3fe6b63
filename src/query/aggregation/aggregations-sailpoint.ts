// Reads aggregations in the vendor's own form: a chain of nested, filter, bucket and metric, with
// another such chain as sub-aggregation. They become the same nodes as the DSL form, plus the
// columns of the CSV.

import type { Aggregation, BucketOrder } from '../aggregation.ts';
import { invalid, type Members, oneOf } from '../body.ts';
import { UTC } from '../dates/time-zone.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { valuesQuery } from '../language/field-query.ts';
import { RequestTexts } from '../language/request-texts.ts';
import { limitFault } from '../limits.ts';
import { ROOT, type Scope } from '../mapping/field-names.ts';
import {
  AggregationCounter,
  type AggregationNode,
  type AggregationNodes,
  resolveAggregations,
} from './aggregation-reader.ts';
import type { AggregationTarget } from './aggregation-source.ts';
import { type CsvColumns, type CsvStep, isValue } from './csv-columns.ts';

export interface SailpointAggregations {
  readonly nodes: AggregationNodes;
  readonly csv: CsvColumns;
}

/**
 * Reads and validates `aggregations`.
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
  /** Type of the parent aggregation; null at the top level. */
  readonly parent: string | null;
}

/** Wraps the aggregations of inner parts in an outer one. */
type Wrap = (inside: SailpointAggregations) => SailpointAggregations;

const PARTS = ['nested', 'filter', 'bucket', 'metric', 'subAggregation'];
const BY_COUNT: readonly BucketOrder[] = [{ by: 'count', order: 'desc' }];
const METRICS = {
  COUNT: { kind: 'valueCount', type: 'value_count', accepted: 'any' },
  UNIQUE_COUNT: { kind: 'cardinality', type: 'cardinality', accepted: 'any' },
  AVG: { kind: 'avg', type: 'avg', accepted: 'number' },
  SUM: { kind: 'sum', type: 'sum', accepted: 'number' },
  MIN: { kind: 'min', type: 'min', accepted: 'number' },
  MAX: { kind: 'max', type: 'max', accepted: 'number' },
  MEDIAN: { kind: 'percentiles', type: 'percentiles', accepted: 'number' },
} as const;

function readLevel(
  parent: Members,
  member: string,
  { scope, depth, parent: outer }: Level,
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
  let innermost = outer;
  const enter = (name: string, at: string, parent = innermost) =>
    counter.enter(name, { place: at, scope: inner, depth: 1, parent });
  const nested = body.members('nested');
  if (nested !== undefined) {
    const { name, path } = readNested(nested, enter);
    wraps.push(wrapNested(name, path, inner));
    inner = { nested: path };
    innermost = 'nested';
  }
  for (const part of ['filter', 'bucket'] as const) {
    const members = body.members(part);
    if (members === undefined) continue;
    const field = fieldOf(members, inner);
    if (field.implicit !== null) {
      wraps.push(wrapNested(field.implicit, field.implicit, inner));
      inner = { nested: field.implicit };
      innermost = 'nested';
    }
    enter(nameOf(members), members.pathOf('name'));
    innermost = part === 'filter' ? 'filter' : 'terms';
    wraps.push(
      part === 'filter'
        ? wrapFilter(members, field.name, inner, counter.clauses)
        : wrapBucket(members, field.name, inner, counter.clauses),
    );
  }
  const metric = body.members('metric');
  if (metric !== undefined) {
    const name = nameOf(metric);
    const implicit = fieldOf(metric, inner).implicit !== null;
    enter(name, metric.pathOf('name'), implicit ? 'nested' : innermost);
  }
  const next = { scope: inner, depth: depth + 1, parent: innermost };
  const sub = readLevel(body, 'subAggregation', next, counter);
  const innerParts = merged(metric && readMetric(metric, inner), sub, place);
  return wraps.reduceRight((inside, wrap) => wrap(inside), innerParts);
}

/** The name of a part; without one the field that it is about, which programs then read by. */
function nameOf(members: Members): string {
  const name = members.string('name');
  return name === undefined || name.trim() === '' ? writtenField(members) : name;
}

/** The field as written, without a leading `@`. */
function writtenField(members: Members): string {
  const name = (members.string('field')?.trim() ?? '').replace(/^@/, '');
  if (name === '') throw invalid(`${members.pathOf('field')}: is required`);
  return name;
}

/**
 * Reads `nested`. The published schema has the path in `type`, the published examples in `field`.
 */
function readNested(
  members: Members,
  enter: (name: string, at: string) => void,
): { readonly name: string; readonly path: string } {
  const field = members.string('field');
  const written = (field === undefined || field === '' ? members.string('type') : field) ?? '';
  const path = written.trim().replace(/^@/, '');
  if (path === '') throw invalid(`${members.pathOf('type')}: expected the path of an array`);
  const given = members.string('name') ?? '';
  const name = given.trim() === '' ? path : given;
  enter(name, members.pathOf('name'));
  return { name, path };
}

/** Reads the field of a part; outside of nested, a leading `@` implies a nested level. */
function fieldOf(
  members: Members,
  scope: Scope,
): { readonly name: string; readonly implicit: string | null } {
  const name = writtenField(members);
  if (scope.nested !== null) return { name: qualifiedName(scope.nested, name), implicit: null };
  if (!members.string('field')?.trimStart().startsWith('@')) return { name, implicit: null };
  const dot = name.indexOf('.');
  return { name, implicit: dot === -1 ? name : name.slice(0, dot) };
}

/** Inside a nested level a name may be relative or absolute; returns the absolute one. */
function qualifiedName(path: string, name: string): string {
  return name === '_id' || name.startsWith(`${path}.`) ? name : `${path}.${name}`;
}

function wrapNested(name: string, path: string, { nested }: Scope): Wrap {
  return ({ nodes, csv }) => {
    const node: AggregationNode = {
      type: 'nested',
      children: nodes,
      resolve: (target) => ({
        kind: 'nested',
        path: nested === null && target.mapping.nestedPaths.includes(path) ? path : null,
        aggregations: resolveAggregations(target, nodes),
      }),
    };
    return { nodes: new Map([[name, node]]), csv: stepTo({ name, buckets: false }, csv) };
  };
}

function wrapFilter(members: Members, field: string, scope: Scope, clauses: ClauseReader): Wrap {
  const name = nameOf(members);
  typeOf(members, ['TERM'], 'TERM');
  const value = members.get('value');
  if (value === undefined) throw invalid(`${members.pathOf('value')}: is required`);
  if (typeof value === 'object') members.string('value');
  const texts = new RequestTexts(clauses.now, UTC);
  return ({ nodes, csv }) => {
    const node: AggregationNode = {
      type: 'filter',
      children: nodes,
      resolve: (target) => ({
        kind: 'filter',
        query: target.dsl.resolveName(
          field,
          scope,
          members.pathOf('value'),
          { kind: 'phrase', text: String(value), slop: 0 },
          (resolved, exact) => valuesQuery([String(value)], resolved, exact, texts),
        ),
        aggregations: resolveAggregations(target, nodes),
      }),
    };
    return { nodes: new Map([[name, node]]), csv: stepTo({ name, buckets: false }, csv) };
  };
}

function wrapBucket(members: Members, field: string, scope: Scope, clauses: ClauseReader): Wrap {
  const name = nameOf(members);
  typeOf(members, ['TERMS'], 'TERMS');
  const { maxBuckets } = clauses.limits;
  const size = integer(members, 'size', 1) ?? 10;
  if (size > maxBuckets) throw limitFault('maxBuckets', maxBuckets, 'buckets in one aggregation');
  const minDocCount = integer(members, 'minDocCount', 0) ?? 1;
  return ({ nodes, csv }) => {
    const node: AggregationNode = {
      type: 'terms',
      children: nodes,
      resolve: (target) => ({
        kind: 'terms',
        source: target.source(field, 'any', scope, members.pathOf('field')),
        size,
        minDocCount,
        order: BY_COUNT,
        aggregations: resolveAggregations(target, nodes),
      }),
    };
    return { nodes: new Map([[name, node]]), csv: stepTo({ name, buckets: true }, csv) };
  };
}

/** Reads a metric; outside of nested, a leading `@` of its field implies a nested level. */
function readMetric(members: Members, scope: Scope): SailpointAggregations {
  const name = nameOf(members);
  const { kind, type, accepted } = METRICS[typeOf(members, METRIC_TYPES, 'UNIQUE_COUNT')];
  const field = fieldOf(members, scope);
  const inner = field.implicit === null ? scope : { nested: field.implicit };
  const resolve = (target: AggregationTarget): Aggregation => {
    const source = target.source(field.name, accepted, inner, members.pathOf('field'));
    if (kind === 'percentiles') return { kind, source, percents: [50], keyed: true };
    return { kind, source };
  };
  const node: AggregationNode = { type, children: new Map(), resolve };
  const path = kind === 'percentiles' ? ['values', '50.0'] : ['value'];
  const level: SailpointAggregations = {
    nodes: new Map([[name, node]]),
    csv: { steps: [], metric: { name, path: [name, ...path], isValue: isValue(kind) } },
  };
  return field.implicit === null ? level : wrapNested(field.implicit, field.implicit, scope)(level);
}

const METRIC_TYPES = Object.keys(METRICS) as (keyof typeof METRICS)[];

/** Merges a metric and a sub-aggregation of the same level; the CSV shows the sub-aggregation. */
function merged(
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
    // Both were implied by an `@path`: merge them into one nested level.
    const children = new Map([...node.children, ...other.children]);
    const both: AggregationNode = {
      ...node,
      children,
      resolve: (target) =>
        ({
          ...node.resolve(target),
          aggregations: resolveAggregations(target, children),
        }) as Aggregation,
    };
    return { nodes: new Map([...sub.nodes, [name, both]]), csv: sub.csv };
  }
  return { nodes: new Map([...metric.nodes, ...sub.nodes]), csv: sub.csv };
}

function stepTo(step: CsvStep, { steps, metric }: CsvColumns): CsvColumns {
  return { steps: [step, ...steps], metric };
}

/** The member `type`, or what it is by default. */
function typeOf<Type extends string>(members: Members, types: readonly Type[], byDefault: Type) {
  return oneOf(members.pathOf('type'), members.string('type') ?? byDefault, types);
}

function integer(members: Members, name: string, least: number): number | undefined {
  const value = members.get(name);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < least) {
    throw invalid(`${members.pathOf(name)}: expected a whole number of at least ${least}`);
  }
  return number;
}
