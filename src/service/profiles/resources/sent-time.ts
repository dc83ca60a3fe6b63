// Times in parameters of lists: `updated_after`, and the filters `created_at` and `updated_at`
// (contract/profiles.md sections 3.2 and 4.2). A text names its time down to some unit, so as a filter
// it stands for all instants of that unit: a date for a day, seconds for a second.

import type { TimeSpan } from '../../ports/collection.ts';
import { parameterRefused } from './faults.ts';

const FORM =
  /^(\d{4})-(\d\d)-(\d\d)([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(?<zone>Z| ?[+-]\d\d:?\d\d| \d\d:?\d\d)?)?$/;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/**
 * Reads an instant. A date means its start in UTC, a date-time without a zone is in UTC.
 * @param name the parameter, for the error
 * @returns ISO 8601 in UTC with milliseconds
 * @throws ServiceError `request_invalid`
 */
export function readInstant(name: string, text: string): string {
  return readTimeSpan(name, text).from;
}

/**
 * Reads the instants that a time stands for.
 * @param name the parameter, for the error
 * @throws ServiceError `request_invalid`
 */
export function readTimeSpan(name: string, text: string): TimeSpan {
  const form = FORM.exec(text);
  const [, year, month, day, time, seconds, fraction] = form ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00.000Z`);
  const start =
    time === undefined ? date.getTime() : Date.parse(isoOf(text, form?.groups?.['zone']));
  // Date reads February 30 as March 2.
  if (form === null || Number.isNaN(start) || date.getUTCDate() !== Number(day))
    throw parameterRefused(`${name} must be a date (yyyy-mm-dd) or an ISO 8601 date-time`);
  const unit = time === undefined ? DAY_MS : seconds === undefined ? MINUTE_MS : SECOND_MS;
  const lengthMs = fraction === undefined ? unit : 1;
  const iso = (instant: number) => new Date(instant).toISOString();
  return { from: iso(start), before: iso(start + lengthMs) };
}

/** @param zone as sent: in a query an unescaped `+` arrives as a space */
function isoOf(text: string, zone = ''): string {
  const local = text.slice(0, text.length - zone.length).replace(' ', 'T');
  if (zone === '') return `${local}Z`;
  const offset = zone.trim();
  return local + (/^\d/.test(offset) ? `+${offset}` : offset);
}
