// Formats dates in aggregation results, and reads them back: ISO 8601 by default, else a common named
// format or a pattern of java.time's letters. Only numeric fields and literals are supported; any
// other pattern letter is an error.
import { instantOf } from './dates.ts';
import { ZoneClock } from './zone-clock.ts';

/** Prints epoch milliseconds. */
export type DatePrinter = (instant: number) => string;

/** Reads what a printer has printed, to epoch milliseconds; undefined for any other text. */
export type DateReader = (text: string) => number | undefined;

const ISO = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";

/** Named formats and their patterns. */
const NAMED: Readonly<Record<string, string>> = {
  strict_date_optional_time: ISO,
  date_optional_time: ISO,
  iso8601: ISO,
  strict_date_time: ISO,
  date_time: ISO,
  strict_date_time_no_millis: "yyyy-MM-dd'T'HH:mm:ssXXX",
  date_time_no_millis: "yyyy-MM-dd'T'HH:mm:ssXXX",
  strict_date_hour_minute_second: "yyyy-MM-dd'T'HH:mm:ss",
  date_hour_minute_second: "yyyy-MM-dd'T'HH:mm:ss",
  strict_date: 'yyyy-MM-dd',
  date: 'yyyy-MM-dd',
  basic_date: 'yyyyMMdd',
  strict_year_month_day: 'yyyy-MM-dd',
  year_month_day: 'yyyy-MM-dd',
  strict_year_month: 'yyyy-MM',
  year_month: 'yyyy-MM',
  strict_year: 'yyyy',
  year: 'yyyy',
  strict_hour_minute: 'HH:mm',
  hour_minute: 'HH:mm',
};

const TOKEN = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']/;
/** Characters of a pattern. */
const PATTERN_MAX = 200;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const OFFSET = '(Z|[+-]\\d{2}(?::?\\d{2})?)';
/** Between these years Date.toISOString() gives the same text, ten times as fast. */
const YEAR_0 = Date.parse('0000-01-01T00:00:00.000Z');
const YEAR_10000 = Date.UTC(10_000, 0, 1);

const LARGEST_FIRST = ['year', 'month', 'day', 'hour', 'minute', 'second', 'milli'] as const;
type Unit = (typeof LARGEST_FIRST)[number] | 'offset';

/** A part of a pattern. */
interface Part {
  readonly print: (date: Date, offsetMinutes: number) => string;
  /** Regular expression of what is printed; of a unit with one group. */
  readonly source: string;
  /** null: a literal, or a unit that cannot be read. */
  readonly unit: Unit | null;
}

/**
 * Returns the printer of a format in a zone; undefined for an unknown format. `a||b` prints as `a`.
 */
export function datePrinter(format: string | null, zone: ZoneClock): DatePrinter | undefined {
  const first = firstFormat(format);
  if (first === 'epoch_millis') return String;
  if (first === 'epoch_second') return (instant) => String(Math.floor(instant / 1000));
  const pattern = patternOf(first);
  const parts = partsOf(pattern);
  if (parts === undefined || parts.length === 0) return undefined;
  const isPlain = pattern === ISO && zone.fixed === 0;
  return (instant) => {
    const whole = Math.trunc(instant);
    if (isPlain && whole >= YEAR_0 && whole < YEAR_10000) return new Date(whole).toISOString();
    const offset = zone.offset(whole);
    const wall = new Date(whole + offset * MINUTE_MS);
    return Number.isNaN(wall.getTime())
      ? String(whole)
      : parts.map(({ print }) => print(wall, offset)).join('');
  };
}

/**
 * Returns the reader of a format in a zone; undefined for an unknown format, for one that prints a
 * unit twice, and for one that leaves out the year or another unit above those that it prints. Units
 * below them are the lowest; of a local time that occurs twice the second one is meant.
 */
export function dateReader(format: string | null, zone: ZoneClock): DateReader | undefined {
  const print = datePrinter(format, zone);
  const read = partsReader(firstFormat(format), zone);
  if (print === undefined || read === undefined) return undefined;
  return (text) => {
    const instant = read(text);
    if (instant === undefined || print(instant) !== text) return undefined;
    const offset = zone.offset(instant + DAY_MS);
    const later = instant + (zone.offset(instant) - offset) * MINUTE_MS;
    return zone.offset(later) === offset && print(later) === text ? later : instant;
  };
}

function partsReader(format: string, zone: ZoneClock): DateReader | undefined {
  if (format === 'epoch_millis') return wholeNumber;
  if (format === 'epoch_second') return (text) => (wholeNumber(text) ?? Number.NaN) * 1000;
  const parts = partsOf(patternOf(format));
  if (parts === undefined) return undefined;
  const units = parts.flatMap(({ unit }) => unit ?? []);
  // Digits can be divided among many months and days in more ways than can be tried.
  if (new Set(units).size < units.length) return undefined;
  // Without a larger unit, the same text is printed again and again.
  const printed = LARGEST_FIRST.filter((unit) => units.includes(unit));
  const smallest = LARGEST_FIRST[printed.length - 1];
  if (printed.length === 0 || printed.at(-1) !== smallest) return undefined;
  const form = new RegExp(`^${parts.map(({ source }) => source).join('')}$`);
  return (text) => {
    const [, ...values] = form.exec(text) ?? [];
    if (values.length === 0) return undefined;
    const texts = new Map(units.map((unit, at) => [unit, values[at] ?? '']));
    const number = (unit: Unit, lowest: number) => Number(texts.get(unit) ?? lowest);
    const wall = new Date(0);
    wall.setUTCFullYear(number('year', 1970), number('month', 1) - 1, number('day', 1));
    const milli = Number((texts.get('milli') ?? '').padEnd(3, '0').slice(0, 3));
    wall.setUTCHours(number('hour', 0), number('minute', 0), number('second', 0), milli);
    const offset = texts.get('offset');
    return instantOf(wall.getTime(), offset === undefined ? zone : new ZoneClock(offset));
  };
}

function wholeNumber(text: string): number | undefined {
  return /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
}

function firstFormat(format: string | null): string {
  return format === null ? ISO : (format.split('||')[0] ?? '').trim();
}

function patternOf(format: string): string {
  return Object.hasOwn(NAMED, format) ? (NAMED[format] ?? '') : format;
}

/** Prints ISO 8601 in UTC, the default of JSON responses. */
export const printIso: DatePrinter = datePrinter(null, new ZoneClock('Z')) ?? String;

function partsOf(pattern: string): Part[] | undefined {
  if (pattern.length > PATTERN_MAX) return undefined;
  const parts: Part[] = [];
  const reader = new RegExp(TOKEN, 'y');
  while (reader.lastIndex < pattern.length) {
    const token = reader.exec(pattern);
    if (token === null) return undefined;
    const [text, quoted, letter] = token;
    if (letter === undefined) {
      const literal =
        quoted === undefined ? text : quoted === '' ? "'" : quoted.replace(/''/g, "'");
      const source = literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      parts.push({ print: () => literal, source, unit: null });
      continue;
    }
    const part = fieldPart(letter, text.length);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

function fieldPart(letter: string, width: number): Part | undefined {
  switch (letter) {
    case 'y':
    case 'u': {
      const print = (date: Date) => year(date.getUTCFullYear(), width);
      // Two digits do not tell the century.
      if (width === 2) return { print, source: '\\d{2}', unit: null };
      return { print, source: `([+-]?\\d{${width},${Math.max(width, 6)}})`, unit: 'year' };
    }
    case 'M':
      return digits('month', width, (date) => date.getUTCMonth() + 1);
    case 'd':
      return digits('day', width, (date) => date.getUTCDate());
    case 'H':
      return digits('hour', width, (date) => date.getUTCHours());
    case 'm':
      return digits('minute', width, (date) => date.getUTCMinutes());
    case 's':
      return digits('second', width, (date) => date.getUTCSeconds());
    case 'S': {
      const print = (date: Date) =>
        padded(date.getUTCMilliseconds(), 3).padEnd(width, '0').slice(0, width);
      return { print, source: `(\\d{${width}})`, unit: 'milli' };
    }
    case 'X': {
      const print = (_: Date, offset: number) =>
        offset === 0 ? 'Z' : shortOffsetText(offset, width);
      return { print, source: OFFSET, unit: 'offset' };
    }
    case 'Z': {
      const separator = width > 3 ? ':' : '';
      const print = (_: Date, offset: number) => offsetText(offset, separator);
      return { print, source: OFFSET, unit: 'offset' };
    }
    default:
      return undefined;
  }
}

function digits(unit: Unit, width: number, value: (date: Date) => number): Part | undefined {
  if (width > 2) return undefined;
  const source = width === 1 ? '(\\d{1,2})' : '(\\d{2})';
  return { print: (date) => padded(value(date), width), source, unit };
}

function year(value: number, width: number): string {
  if (width === 2) return padded(Math.abs(value) % 100, 2);
  const digits = padded(Math.abs(value), width);
  return value < 0 ? `-${digits}` : value > 9999 && width >= 4 ? `+${digits}` : digits;
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** A UTC offset as `+hh:mm`. Seconds of historic local times are dropped, as in java.time. */
function offsetText(minutes: number, separator: string): string {
  const size = Math.trunc(Math.abs(minutes));
  return `${minutes < 0 ? '-' : '+'}${padded(Math.floor(size / 60), 2)}${separator}${padded(size % 60, 2)}`;
}

/** `X` prints minutes only if there are any, `XX` always, `XXX` with a colon. */
function shortOffsetText(minutes: number, width: number): string {
  const text = offsetText(minutes, width > 2 ? ':' : '');
  return width === 1 && text.endsWith('00') ? text.slice(0, -2) : text;
}
