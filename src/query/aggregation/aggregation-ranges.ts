// Reads `range` and `date_range`: buckets with explicit bounds. Date bounds become instants here,
// and their texts in the response are formatted here too.

import type { RangeBounds } from '../aggregation.ts';
import { invalid } from '../body.ts';
import { type DatePrinter, datePrinter } from '../dates/date-format.ts';
import { ZoneClock } from '../dates/zone-clock.ts';
import { Parameters } from '../dsl/dsl-parameters.ts';
import { type ClauseReader, requestTextsOf } from '../dsl/dsl-reader.ts';
import type { RequestTexts } from '../language/request-texts.ts';
import { limitFault } from '../limits.ts';
import {
  type AggregationReader,
  fieldParameter,
  missingParameter,
  numberParameter,
} from './aggregation-reader.ts';
import { type AcceptedValues, type AggregationTarget, missingFor } from './aggregation-source.ts';
import { doubleText } from './number-text.ts';

const RANGE = ['key', 'from', 'to'];

/** Reads one bound of a range. */
type ReadBound = (parameters: Parameters, name: 'from' | 'to') => number | undefined;

const range: AggregationReader = {
  parameters: ['field', 'ranges', 'keyed', 'missing'],
  read: (parameters, { scope }, { clauses }) => {
    const ranges = rangesOf(parameters, clauses, numberParameter, null);
    return readRanges(parameters, ranges, 'number', scope.nested, clauses);
  },
};

const dateRange: AggregationReader = {
  parameters: ['field', 'ranges', 'keyed', 'missing', 'format', 'time_zone'],
  read: (parameters, { scope }, { clauses }) => {
    const texts = requestTextsOf(parameters, clauses);
    const print = printerOf(parameters, parameters.string('time_zone'));
    const ranges = rangesOf(parameters, clauses, dateBound(texts), print);
    return readRanges(parameters, ranges, 'date', scope.nested, clauses);
  },
};

/** Readers by the type name of the request. */
export const RANGES: Readonly<Record<string, AggregationReader>> = {
  range,
  date_range: dateRange,
};

/** Returns the date printer for the `format` of an aggregation. */
export function printerOf(parameters: Parameters, zone: string | undefined): DatePrinter {
  const format = parameters.string('format') ?? null;
  const print = datePrinter(format, new ZoneClock(zone ?? 'Z'));
  if (print !== undefined) return print;
  throw invalid(
    `${parameters.pathOf('format')}: ${JSON.stringify((format ?? '').slice(0, 60))} is not a known format; ` +
      'patterns may contain y, M, d, H, m, s, S, X, Z and quoted text',
  );
}

function readRanges(
  parameters: Parameters,
  ranges: readonly RangeBounds[],
  accepted: AcceptedValues,
  nested: string | null,
  clauses: ClauseReader,
): ReturnType<AggregationReader['read']> {
  const field = fieldParameter(parameters);
  const keyed = parameters.boolean('keyed') ?? false;
  if (keyed) checkKeys(ranges, parameters.pathOf('ranges'));
  const missing = missingParameter(parameters);
  return (target: AggregationTarget, aggregations) => {
    const source = target.source(field, accepted, { nested }, parameters.pathOf('field'));
    const place = parameters.pathOf('missing');
    const value =
      missing === undefined ? {} : { missing: missingFor(source, missing, place, clauses) };
    return { kind: 'range', source, ranges, keyed, ...value, aggregations };
  };
}

/** Of two ranges with one key, a response by key would have only one. */
function checkKeys(ranges: readonly RangeBounds[], place: string): void {
  const byKey = new Map<string, RangeBounds>();
  for (const range of ranges) {
    const { key, from, to } = range;
    const other = byKey.get(key) ?? range;
    byKey.set(key, range);
    if (other.from === from && other.to === to) continue;
    throw invalid(`${place}: several have the key ${JSON.stringify(key.slice(0, 60))}`);
  }
}

/** @param print for dates; null for numbers */
function rangesOf(
  parameters: Parameters,
  { limits }: ClauseReader,
  bound: ReadBound,
  print: DatePrinter | null,
): readonly RangeBounds[] {
  const place = parameters.pathOf('ranges');
  const list = parameters.required('ranges');
  if (!Array.isArray(list) || list.length === 0) {
    throw invalid(`${place}: expected a list of at least one range`);
  }
  if (list.length > limits.maxClauses) throw limitFault('maxClauses', limits.maxClauses, 'ranges');
  const ranges = list.map((item, at) => {
    const one = new Parameters(item, `${place}[${at}]`, RANGE);
    const from = bound(one, 'from');
    const to = bound(one, 'to');
    return rangeBounds(one.text('key'), from, to, print);
  });
  return ranges.toSorted(
    (a, b) =>
      compare(a.from ?? Number.NEGATIVE_INFINITY, b.from ?? Number.NEGATIVE_INFINITY) ||
      compare(a.to ?? Number.POSITIVE_INFINITY, b.to ?? Number.POSITIVE_INFINITY),
  );
}

function rangeBounds(
  key: string | undefined,
  from: number | undefined,
  to: number | undefined,
  print: DatePrinter | null,
): RangeBounds {
  const format = print ?? doubleText;
  const text = (value: number | undefined): string => (value === undefined ? '*' : format(value));
  return {
    key: key ?? `${text(from)}-${text(to)}`,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(from !== undefined && print !== null && { fromText: print(from) }),
    ...(to !== undefined && print !== null && { toText: print(to) }),
  };
}

/** Reads a date bound: the first millisecond of the date, for `from` and `to` alike. */
function dateBound(texts: RequestTexts): ReadBound {
  return (parameters, name) => {
    const text = parameters.text(name);
    if (text === undefined) return undefined;
    const span = texts.span(text);
    if (span !== undefined) return span.first;
    throw invalid(`${parameters.pathOf(name)}: ${JSON.stringify(text.slice(0, 60))} is not a date`);
  };
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
