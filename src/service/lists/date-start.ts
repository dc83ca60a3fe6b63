// The instants whose ISO 8601 text in UTC starts with a given text.
import { invalid } from '../../query/body.ts';

const FORM = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d))?)?)?)?)?$/;

/**
 * The first instant that starts with a text such as `2026-11`, and the first one after those, as
 * epoch milliseconds.
 * @throws ServiceError `request_invalid` for a text that is not the start of a date
 */
export function dateStart(text: string): readonly [from: number, end: number] {
  const parts = (FORM.exec(text) ?? [])
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
