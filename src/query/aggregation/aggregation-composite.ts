// Reads `composite`: buckets of tuples, one value from each of several sources, returned in pages.

import type { CompositeSource } from '../aggregation.ts';
import { invalid, isScalar } from '../body.ts';
import { dateReader } from '../dates/date-format.ts';
import { parseDate } from '../dates/dates.ts';
import { UTC } from '../dates/time-zone.ts';
import { ZoneClock } from '../dates/zone-clock.ts';
import { fieldClause, objectOf, Parameters } from '../dsl/dsl-parameters.ts';
import type { ClauseReader } from '../dsl/dsl-reader.ts';
import { limitFault } from '../limits.ts';
import type { Scope } from '../mapping/field-names.ts';
import { dateIntervals, INTERVALS, intervalParameter } from './aggregation-histograms.ts';
import { printerOf } from './aggregation-ranges.ts';
import { type AggregationReader, fieldParameter } from './aggregation-reader.ts';
import type { AggregationTarget } from './aggregation-source.ts';
import { orderOf } from './aggregation-top-hits.ts';

const DEFAULT_SIZE = 10;
const MAX_INT32 = 2_147_483_647;
const MAX_SOURCES = 16;
const COMMON = ['field', 'order', 'missing_bucket'];

/** A parsed and validated source, not yet resolved against an index. */
interface SourceNode {
  readonly name: string;
  readonly kind: CompositeSource['kind'];
  resolve(target: AggregationTarget): CompositeSource;
}

const composite: AggregationReader = {
  parameters: ['sources', 'size', 'after'],
  read: (parameters, { scope }, { clauses }) => {
    const { maxBuckets } = clauses.limits;
    const size = parameters.integer('size', 1, MAX_INT32) ?? DEFAULT_SIZE;
    if (size > maxBuckets) throw limitFault('maxBuckets', maxBuckets, 'buckets in one composite');
    const sources = sourcesOf(parameters, scope, clauses);
    const after = parameters.get('after');
    const place = parameters.pathOf('after');
    return (target, aggregations) => {
      const resolved = sources.map((source) => source.resolve(target));
      return {
        kind: 'composite',
        sources: resolved,
        size,
        ...(after !== undefined && { after: afterOf(after, place, resolved, clauses) }),
        aggregations,
      };
    };
  },
};

/** Readers by the type name of the request. */
export const COMPOSITE: Readonly<Record<string, AggregationReader>> = { composite };

/** `[{"name": {"terms": {…}}}, …]` */
function sourcesOf(
  parameters: Parameters,
  scope: Scope,
  clauses: ClauseReader,
): readonly SourceNode[] {
  const list = parameters.required('sources');
  const place = parameters.pathOf('sources');
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_SOURCES) {
    throw invalid(`${place}: expected a list of 1 to ${MAX_SOURCES} sources`);
  }
  const sources = list.map((item, at) => {
    const named = fieldClause(item, `${place}[${at}]`, []);
    const typed = fieldClause(named.value, named.place, []);
    return sourceOf(named.field, typed.field, typed.value, typed.place, scope, clauses);
  });
  if (new Set(sources.map(({ name }) => name)).size < sources.length) {
    throw invalid(`${place}: each source needs a different name`);
  }
  return sources;
}

function sourceOf(
  name: string,
  type: string,
  value: unknown,
  place: string,
  scope: Scope,
  clauses: ClauseReader,
): SourceNode {
  const parametersWith = (...more: string[]) => new Parameters(value, place, [...COMMON, ...more]);
  switch (type) {
    case 'terms': {
      const { field, fieldPlace, common } = commonOf(name, parametersWith());
      return {
        name,
        kind: 'terms',
        resolve: (target) => ({
          kind: 'terms',
          source: target.source(field, 'any', scope, fieldPlace),
          ...common,
        }),
      };
    }
    case 'histogram': {
      const parameters = parametersWith('interval');
      const { field, fieldPlace, common } = commonOf(name, parameters);
      const interval = intervalParameter(parameters);
      return {
        name,
        kind: 'histogram',
        resolve: (target) => ({
          kind: 'histogram',
          source: target.source(field, 'number', scope, fieldPlace),
          interval,
          ...common,
        }),
      };
    }
    case 'date_histogram': {
      const parameters = parametersWith(...INTERVALS);
      const { field, fieldPlace, common } = commonOf(name, parameters);
      const intervals = dateIntervals(parameters, clauses);
      printerOf(parameters, undefined);
      const format = parameters.string('format') ?? null;
      return {
        name,
        kind: 'dateHistogram',
        resolve: (target) => ({
          kind: 'dateHistogram',
          source: target.source(field, 'date', scope, fieldPlace),
          intervals,
          format,
          ...common,
        }),
      };
    }
    default:
      throw invalid(`${place}: is not supported; use terms, histogram or date_histogram`);
  }
}

function commonOf(name: string, parameters: Parameters) {
  return {
    field: fieldParameter(parameters),
    fieldPlace: parameters.pathOf('field'),
    common: {
      name,
      order: orderOf(parameters.get('order') ?? 'asc', parameters.pathOf('order')),
      missingBucket: parameters.boolean('missing_bucket') ?? false,
    },
  };
}

/** Reads `after`: the key of the last bucket of the previous page, as the response spelled it. */
function afterOf(
  value: unknown,
  place: string,
  sources: readonly CompositeSource[],
  clauses: ClauseReader,
): readonly (string | number | null)[] {
  const record = objectOf(value, place);
  for (const name of Object.keys(record)) {
    if (!sources.some((source) => source.name === name)) {
      throw invalid(`${place}.${name.slice(0, 60)}: there is no such source`);
    }
  }
  return sources.map((source) => {
    const inPlace = `${place}.${source.name}`;
    if (!Object.hasOwn(record, source.name)) throw invalid(`${inPlace}: is missing`);
    const key = record[source.name];
    if (!isScalar(key)) throw invalid(`${inPlace}: expected a scalar`);
    return key === null ? null : keyOf(key, source, inPlace, clauses);
  });
}

function keyOf(
  key: string | number | boolean,
  compositeSource: CompositeSource,
  place: string,
  clauses: ClauseReader,
): string | number {
  const { kind, source } = compositeSource;
  if (kind === 'terms' && source.kind !== 'numbers') return String(key);
  if (typeof key === 'number') return key;
  if (typeof key === 'boolean') return Number(key);
  const value =
    kind === 'histogram' || (source.kind === 'numbers' && source.type !== 'date')
      ? numberOf(key)
      : dateKeyOf(key, compositeSource, clauses);
  if (value !== undefined && Number.isFinite(value)) return value;
  throw invalid(`${place}: ${JSON.stringify(key.slice(0, 60))} is not a key of this source`);
}

/** Undefined for a blank text, which Number() reads as 0. */
function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text);
}

/** Reads the key of a date as the response printed it; without a format also as any date. */
function dateKeyOf(
  key: string,
  source: CompositeSource,
  { now }: ClauseReader,
): number | undefined {
  if (source.kind !== 'dateHistogram' || source.format === null) {
    return parseDate(key, { now, zone: UTC })?.first;
  }
  return dateReader(source.format, new ZoneClock(source.intervals.timeZone))?.(key);
}
