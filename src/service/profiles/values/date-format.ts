// Dates in the formats of profile attributes: six orders of day, month and year
// (contract/profiles.md section 6). A date is a day without a zone, counted from 1970-01-01.
// Invariant: a text that is read in a format is written with the same characters.
import { timeZone, UTC } from '../../../query/dates/time-zone.ts';
import type { DateFormat } from '../../ports/resources.ts';

/** The format of an attribute without one. */
export const DATE_FORMAT_DEFAULT: DateFormat = 'mm/dd/yyyy';

const DAY_MS = 86_400_000;

/**
 * Reads a date as days since 1970-01-01; null if the text is not in the format, with all digits, or
 * the day does not exist.
 */
export function dayOf(text: string, format: DateFormat): number | null {
  if (text.length !== format.length) return null;
  const parts = { d: '', m: '', y: '' };
  for (const [at, sign] of [...format].entries()) {
    const character = text[at] ?? '';
    if (sign !== 'd' && sign !== 'm' && sign !== 'y') {
      if (character !== sign) return null;
    } else if (character >= '0' && character <= '9') parts[sign] += character;
    else return null;
  }
  const [year, month, day] = [Number(parts.y), Number(parts.m), Number(parts.d)];
  const date = new Date(0);
  // Date.UTC would read years before 100 as 1900 and later.
  date.setUTCFullYear(year, month - 1, day);
  const exists = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() / DAY_MS : null;
}

/** Writes a day, counted from 1970-01-01, in a format. */
export function dateText(day: number, format: DateFormat): string {
  const date = new Date(day * DAY_MS);
  return format
    .replace('yyyy', String(date.getUTCFullYear()).padStart(4, '0'))
    .replace('mm', String(date.getUTCMonth() + 1).padStart(2, '0'))
    .replace('dd', String(date.getUTCDate()).padStart(2, '0'));
}

/**
 * The day in a zone at an instant.
 * @param epochMs milliseconds since 1970-01-01
 * @param zone IANA id or offset; an unknown one counts as UTC
 */
export function dayInZone(epochMs: number, zone: string): number {
  const offset = (timeZone(zone) ?? UTC).offset(epochMs);
  return Math.floor((epochMs + offset * 60_000) / DAY_MS);
}
