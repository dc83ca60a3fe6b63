// Dates of filters: an operand is an instant, or what the instants start with whose ISO 8601 text in
// UTC starts so.
import { strictIsoDate } from '../analysis/values.ts';
import { invalid } from '../body.ts';

const FORM = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d))?)?)?)?)?$/;
const YEAR_OR_MONTH = /^\d{4}(?:-(?:0[1-9]|1[0-2]))?$/;

/**
 * The instant of a year, a month, a date or a date-time of RFC 3339, as epoch milliseconds: the first
 * one of what is not a time; null for any other text.
 */
export function dateOperand(text: string): number | null {
  if (YEAR_OR_MONTH.test(text)) return dateStart(text)[0];
  return strictIsoDate(text.toUpperCase()) ?? null;
}

/**
 * The first instant that starts with a text such as `2026-11`, and the first one after those, as
 * epoch milliseconds.
 * @throws ServiceError `request_invalid` for a text that is not the start of a date
 */
export function dateStart(text: string): readonly [from: number, end: number] {
  const parts = (FORM.exec(text.toUpperCase()) ?? [])
    .slice(1)
    .filter((part) => part !== undefined)
    .map(Number);
  if (parts.length === 0) {
    throw invalid(
      `filters: sw: ${JSON.stringify(text.slice(0, 40))} is not the start of a date, like 2026, 2026-11 or 2026-11-05T10`,
    );
  }
  const end = parts.with(-1, (parts.at(-1) ?? 0) + 1);
  return [instantOf(parts), instantOf(end)];
}

/** @param parts year, and perhaps month (from 1), day, hour, minute, second */
function instantOf([year = 0, month = 1, day = 1, ...time]: readonly number[]): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const [hour = 0, minute = 0, second = 0] = time;
  return date.setUTCHours(hour, minute, second, 0);
}
