// Recognises strings of a dynamic map that are also an instant or a number. The indexer tests every
// such string, so both functions reject most strings by their first characters.

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
const NUMBER = /^[+-]?\d{1,64}(?:\.\d{1,64})?$/;
const MINUTE_MS = 60_000;

/**
 * Parses a strict ISO date (`yyyy-MM-dd`) or date-time (`yyyy-MM-ddTHH:mm[:ss[.fraction]]`, with an
 * optional `Z` or offset, else UTC) to epoch milliseconds; undefined for anything else, including
 * days that do not exist.
 */
export function strictIsoDate(text: string): number | undefined {
  if (text.length < 10 || text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d) return;
  const plain = plainInstant(text);
  if (plain !== undefined) return plain;
  const parts = DATE.exec(text);
  if (parts === null) return;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = parts;
  const days = daysInMonth(Number(year), Number(month));
  if (Number(day) < 1 || Number(day) > days) return;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return;
  const midnight = utcMidnight(Number(year), Number(month), Number(day));
  const timeOfDay = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  return midnight + timeOfDay + Number(`${fraction}000`.slice(0, 3)) - offset * MINUTE_MS;
}

/** Parses `yyyy-MM-ddTHH:mm:ss.SSSZ`, by far the most common form; undefined for anything else. */
function plainInstant(text: string): number | undefined {
  if (text.length !== 24 || text.charCodeAt(10) !== 0x54 || text.charCodeAt(23) !== 0x5a) return;
  if (text.charCodeAt(13) !== 0x3a || text.charCodeAt(16) !== 0x3a) return;
  if (text.charCodeAt(19) !== 0x2e) return;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  const milli = twoDigits(text, 20) * 10 + (twoDigits(text, 21) % 10);
  // A non-digit makes one of these NaN; Date.UTC reads years below 100 as 19xx.
  if (!(year >= 100 && hour <= 23 && minute <= 59 && second <= 59 && milli >= 0)) return;
  if (!(month >= 1 && day >= 1 && day <= daysInMonth(year, month))) return;
  return Date.UTC(year, month - 1, day, hour, minute, second, milli);
}

/** The value of two decimal digits; NaN if either is not a digit. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 0x30;
  const ones = text.charCodeAt(at + 1) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Parses plain decimal notation (no exponent, no blanks); undefined for anything else. */
export function decimalNumber(text: string): number | undefined {
  const first = text.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39) && first !== 0x2d && first !== 0x2b) return;
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** Days of a month of the proleptic Gregorian calendar; 0 for an invalid month. */
export function daysInMonth(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Works around Date.UTC, which reads the years 0 to 99 as 1900 to 1999. */
function utcMidnight(year: number, month: number, day: number): number {
  if (year >= 100) return Date.UTC(year, month - 1, day);
  return new Date(Date.UTC(2000, month - 1, day)).setUTCFullYear(year, month - 1, day);
}

function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 18 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
