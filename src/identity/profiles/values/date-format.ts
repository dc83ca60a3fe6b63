// Dates as the attributes of profiles write them: six forms of day, month and year
// (contract/profiles.md section 6). A date is a day without a zone, counted from 1970-01-01.
// Invariant: what is read in a form is written in that form with the same characters.
import type { DateFormat } from '../resources/resources.ts';

/** Of an attribute that names none. */
export const DATE_FORMAT_DEFAULT: DateFormat = 'mm/dd/yyyy';

const DAY_MS = 86_400_000;

/**
 * The day that a text in that form means, in days since 1970-01-01; null where it means none. All
 * digits must be there, and the day must exist.
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
  // Date.UTC would take the years before 100 for those of the last century.
  date.setUTCFullYear(year, month - 1, day);
  const exists = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() / DAY_MS : null;
}

/** The text of a day, counted from 1970-01-01, in that form. */
export function dateText(day: number, format: DateFormat): string {
  const date = new Date(day * DAY_MS);
  return format
    .replace('yyyy', String(date.getUTCFullYear()).padStart(4, '0'))
    .replace('mm', String(date.getUTCMonth() + 1).padStart(2, '0'))
    .replace('dd', String(date.getUTCDate()).padStart(2, '0'));
}
