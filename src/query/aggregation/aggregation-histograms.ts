// Reads `histogram` and `date_histogram`: buckets of consecutive intervals. Date intervals are
// calendar units or fixed lengths, in the local time of a zone.

import type { BucketOrder, CalendarUnit, DateIntervals } from '../aggregation.ts';
import { invalid } from '../body.ts';
import { zoneName } from '../dates/time-zone.ts';
import type { Parameters } from '../dsl/dsl-parameters.ts';
import { type ClauseReader, requestTextsOf } from '../dsl/dsl-reader.ts';
import type { QueryLimits } from '../limits.ts';
import { bucketOrder } from './aggregation-order.ts';
import { printerOf } from './aggregation-ranges.ts';
import {
  type AggregationNodes,
  type AggregationReader,
  fieldParameter,
  missingParameter,
  numberParameter,
} from './aggregation-reader.ts';
import { missingFor } from './aggregation-source.ts';

const BY_KEY: readonly BucketOrder[] = [{ by: 'key', order: 'asc' }];
const MAX_INT32 = 2_147_483_647;

const histogram: AggregationReader = {
  parameters: ['field', 'interval', 'offset', 'min_doc_count', 'keyed', 'order', 'missing'],
  read: (parameters, { scope }, { clauses }, children) => {
    const field = fieldParameter(parameters);
    const common = commonOf(parameters, children, clauses.limits);
    const interval = intervalParameter(parameters);
    const offset = numberParameter(parameters, 'offset') ?? 0;
    const missing = missingParameter(parameters);
    return (target, aggregations) => {
      const source = target.source(field, 'number', scope, parameters.pathOf('field'));
      const place = parameters.pathOf('missing');
      const value =
        missing === undefined ? {} : { missing: missingFor(source, missing, place, clauses) };
      return { kind: 'histogram', source, interval, offset, ...common, ...value, aggregations };
    };
  },
};

/** The parameters that define date intervals. */
export const INTERVALS = [
  'calendar_interval',
  'fixed_interval',
  'interval',
  'time_zone',
  'offset',
  'format',
];

const dateHistogram: AggregationReader = {
  parameters: ['field', ...INTERVALS, 'min_doc_count', 'keyed', 'order', 'missing'],
  read: (parameters, { scope }, { clauses }, children) => {
    const field = fieldParameter(parameters);
    const common = commonOf(parameters, children, clauses.limits);
    const intervals = dateIntervals(parameters, clauses);
    printerOf(parameters, undefined);
    const format = parameters.string('format') ?? null;
    const missing = missingParameter(parameters);
    return (target, aggregations) => {
      const source = target.source(field, 'date', scope, parameters.pathOf('field'));
      const place = parameters.pathOf('missing');
      const value =
        missing === undefined ? {} : { missing: missingFor(source, missing, place, clauses) };
      return {
        kind: 'dateHistogram',
        source,
        intervals,
        format,
        ...common,
        ...value,
        aggregations,
      };
    };
  },
};

/** Readers by the type name of the request. */
export const HISTOGRAMS: Readonly<Record<string, AggregationReader>> = {
  histogram,
  date_histogram: dateHistogram,
};

/** Reads the `interval` of a numeric histogram. */
export function intervalParameter(parameters: Parameters): number {
  parameters.required('interval');
  const interval = numberParameter(parameters, 'interval') ?? 0;
  if (interval > 0) return interval;
  throw invalid(`${parameters.pathOf('interval')}: expected a number above 0`);
}

function commonOf(parameters: Parameters, children: AggregationNodes, limits: QueryLimits) {
  return {
    minDocCount: parameters.integer('min_doc_count', 0, MAX_INT32) ?? 0,
    keyed: parameters.boolean('keyed') ?? false,
    order: bucketOrder(parameters, BY_KEY, children, limits),
  };
}

const CALENDAR: Readonly<Record<string, CalendarUnit>> = {
  year: 'y',
  '1y': 'y',
  quarter: 'q',
  '1q': 'q',
  month: 'M',
  '1M': 'M',
  week: 'w',
  '1w': 'w',
  day: 'd',
  '1d': 'd',
  hour: 'h',
  '1h': 'h',
  minute: 'm',
  '1m': 'm',
  second: 's',
  '1s': 's',
};
const FIXED = /^(\d{1,12})(ms|s|m|h|d)$/;
const FIXED_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** The range of dates; no interval or offset needs to be longer. */
const LENGTH_MS_MAX = 8.64e15;

/** Reads calendar_interval, fixed_interval or interval, which may be either kind. */
export function dateIntervals(parameters: Parameters, clauses: ClauseReader): DateIntervals {
  const names = ['calendar_interval', 'fixed_interval', 'interval'].filter((name) =>
    parameters.has(name),
  );
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw invalid(`${parameters.path}: expected one of calendar_interval and fixed_interval`);
  }
  requestTextsOf(parameters, clauses);
  return {
    every: intervalOf(parameters, name),
    timeZone: zoneName(parameters.string('time_zone') || 'Z'),
    offsetMs: offsetOf(parameters),
  };
}

function intervalOf(parameters: Parameters, name: string): CalendarUnit | number {
  const text = parameters.requiredText(name);
  if (name !== 'fixed_interval' && Object.hasOwn(CALENDAR, text)) return CALENDAR[text] ?? 'd';
  const length = name === 'calendar_interval' ? undefined : lengthOf(text);
  if (length !== undefined && length > 0) return length;
  throw invalid(
    `${parameters.pathOf(name)}: ${JSON.stringify(text.slice(0, 40))} is none of ${
      name === 'fixed_interval'
        ? '30s, 15m, 12h, 7d and the like'
        : 'year, quarter, month, week, day, hour, minute, second'
    }`,
  );
}

function lengthOf(text: string): number | undefined {
  const [, amount, unit = ''] = FIXED.exec(text) ?? [];
  if (amount === undefined) return undefined;
  const length = Number(amount) * (FIXED_MS[unit] ?? 0);
  return length > LENGTH_MS_MAX ? undefined : length;
}

/** Reads `offset`: `+6h`, `-1d`, or milliseconds. */
function offsetOf(parameters: Parameters): number {
  const text = parameters.text('offset');
  if (text === undefined) return 0;
  const sign = text.startsWith('-') ? -1 : 1;
  const size = text.replace(/^[+-]/, '');
  const length = lengthOf(/^\d+$/.test(size) ? `${size}ms` : size);
  if (length !== undefined) return sign * length;
  throw invalid(`${parameters.pathOf('offset')}: expected a length of time like +6h or -1d`);
}
