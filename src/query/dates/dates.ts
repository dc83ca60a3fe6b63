// Parses dates in queries: `yyyy[-MM[-dd[Thh[:mm[:ss[.SSS]]]]]]` with an optional zone, epoch
// milliseconds, `now`, and date math. A partial date means its whole unit, so every date is a span
// with a first and a last millisecond. The zone of the request applies to literals without a zone,
// to the length of units and to rounding, never to `now`.
import type { Zone } from 'luxon';
import { daysInMonth } from '../analysis/values.ts';
import { timeZone } from './time-zone.ts';

/** First and last instant, epoch milliseconds, both inclusive. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

export interface DateContext {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly zone: Zone;
}

/** Parses a date expression to its span; undefined if the text is not a date. */
export function parseDate(text: string, context: DateContext): Span | undefined {
  const expression = text.trim();
  if (expression.startsWith('now')) {
    return calculate(context.now, expression.slice(3), context.zone);
  }
  const bar = expression.indexOf('||');
  if (bar === -1) return literal(expression, context.zone);
  const base = literal(expression.slice(0, bar), context.zone);
  return base && calculate(base.first, expression.slice(bar + 2), context.zone);
}

const LITERAL =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?)?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/;
const EPOCH_MS = /^-?\d{1,15}$/;
const UNITS: readonly string[] = ['y', 'M', 'd', 'h', 'm', 's'];
const MINUTE_MS = 60_000;

function literal(text: string, requestZone: Zone): Span | undefined {
  const parts = LITERAL.exec(text);
  if (parts === null) {
    if (!EPOCH_MS.test(text)) return undefined;
    const instant = Number(text);
    return { first: instant, last: instant };
  }
  const [, year, month, day, hour, minute, second, fraction, offset] = parts;
  const zone = offset === undefined ? requestZone : timeZone(offset);
  if (zone === undefined) return undefined;
  const fields = [year, month, day, hour, minute, second].filter((part) => part !== undefined);
  const [y = 0, mo = 1, d = 1, h = 0, mi = 0, s = 0] = fields.map(Number);
  if (d < 1 || d > daysInMonth(y, mo) || h > 23 || mi > 59 || s > 59) return undefined;
  const local = Date.UTC(2000, mo - 1, d, h, mi, s);
  const wall = new Date(local).setUTCFullYear(y, mo - 1, d);
  const first = instantOf(wall, zone);
  if (fraction !== undefined) {
    const instant = first + Number(`${fraction}00`.slice(0, 3));
    return { first: instant, last: instant };
  }
  const next = addToWall(wall, 1, UNITS[fields.length - 1] ?? 's');
  return { first, last: instantOf(next, zone) - 1 };
}

/**
 * Converts a local time, given as if it were UTC, to an instant. In an overlap the first instant is
 * chosen unless the preferred offset is valid; a time in a gap is moved later by the length of the
 * gap, as in java.time.
 */
export function instantOf(wall: number, zone: Pick<Zone, 'offset'>, preferred?: number): number {
  for (const offset of [preferred, zone.offset(wall - DAY_MS) * MINUTE_MS]) {
    if (offset !== undefined && zone.offset(wall - offset) * MINUTE_MS === offset) {
      return wall - offset;
    }
  }
  const after = zone.offset(wall + DAY_MS) * MINUTE_MS;
  if (zone.offset(wall - after) * MINUTE_MS === after) return wall - after;
  return wall - zone.offset(wall - DAY_MS) * MINUTE_MS;
}

const STEP = /([+-])(\d{0,9})([yMwdhHms])|\/([yMwdhHms])/;
/** Longer date math is rejected. */
const MAX_MATH_LENGTH = 200;
const MAX_INSTANT = 8.64e15;
const DAY_MS = 86_400_000;
/** Units of constant length. */
const EXACT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  H: 3_600_000,
  m: 60_000,
  s: 1000,
};

/** Adds and rounds from left to right; the span is the result of rounding down and rounding up. */
function calculate(start: number, math: string, zone: Zone): Span | undefined {
  if (math.length > MAX_MATH_LENGTH) return undefined;
  let first = start;
  let last = start;
  const reader = new RegExp(STEP, 'y');
  while (reader.lastIndex < math.length) {
    const step = reader.exec(math);
    if (step === null) return undefined;
    const [, sign, amount = '', unit = '', rounding] = step;
    if (rounding === undefined) {
      const count = Number(`${sign}${amount === '' ? 1 : amount}`);
      first = add(first, count, unit, zone);
      last = add(last, count, unit, zone);
    } else {
      first = roundDown(first, rounding, zone);
      last = roundUp(last, rounding, zone);
    }
    // Also fails for NaN.
    if (!(Math.abs(first) <= MAX_INSTANT && Math.abs(last) <= MAX_INSTANT)) return undefined;
  }
  return { first, last };
}

function add(instant: number, count: number, unit: string, zone: Zone): number {
  const exact = EXACT_MS[unit];
  if (exact !== undefined) return instant + count * exact;
  const offset = zone.offset(instant) * MINUTE_MS;
  return instantOf(addToWall(instant + offset, count, unit), zone, offset);
}

function roundDown(instant: number, unit: string, zone: Zone): number {
  const wall = instant + zone.offset(instant) * MINUTE_MS;
  const exact = EXACT_MS[unit];
  if (exact !== undefined) return instant - (((wall % exact) + exact) % exact);
  return instantOf(startOnWall(wall, unit), zone);
}

function roundUp(instant: number, unit: string, zone: Zone): number {
  const exact = EXACT_MS[unit];
  if (exact !== undefined) return roundDown(instant, unit, zone) + exact - 1;
  const wall = instant + zone.offset(instant) * MINUTE_MS;
  return instantOf(addToWall(startOnWall(wall, unit), 1, unit), zone) - 1;
}

/** Adds units to a local time; a day beyond the end of the month becomes its last day. */
export function addToWall(wall: number, count: number, unit: string): number {
  if (EXACT_MS[unit] !== undefined) return wall + count * (EXACT_MS[unit] ?? 0);
  if (unit === 'd') return wall + count * DAY_MS;
  if (unit === 'w') return wall + count * 7 * DAY_MS;
  const date = new Date(wall);
  const months = date.getUTCMonth() + count * (unit === 'y' ? 12 : 1);
  const year = date.getUTCFullYear() + Math.floor(months / 12);
  const month = ((months % 12) + 12) % 12;
  return date.setUTCFullYear(
    year,
    month,
    Math.min(date.getUTCDate(), daysInMonth(year, month + 1)),
  );
}

/** Start of the unit that contains a local time; weeks start on Monday. */
export function startOnWall(wall: number, unit: string): number {
  const midnight = Math.floor(wall / DAY_MS) * DAY_MS;
  if (unit === 'd') return midnight;
  const date = new Date(midnight);
  if (unit === 'w') return midnight - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return unit === 'M' ? date.setUTCDate(1) : date.setUTCMonth(0, 1);
}
