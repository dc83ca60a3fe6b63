// The parameter `updated_after`: records must have been updated later (contract/profiles.md section
// 4.2).
import { parameterRefused } from '../faults.ts';

/**
 * Reads the instant. A date means its start in UTC, a date-time without a zone is in UTC.
 * @returns ISO 8601 in UTC with milliseconds
 * @throws ServiceError `request_invalid`
 */
export function readUpdatedAfter(text: string): string {
  const form = /^(\d{4})-(\d\d)-(\d\d)([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(
    text,
  );
  const time = form?.[4];
  const zoned = time === undefined || form?.[7] !== undefined;
  const [, year, month, day] = form ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00.000Z`);
  const instant = new Date(
    time === undefined ? date : `${text.replace(' ', 'T')}${zoned ? '' : 'Z'}`,
  );
  // Date reads February 30 as March 2.
  if (form === null || Number.isNaN(instant.getTime()) || date.getUTCDate() !== Number(day))
    throw parameterRefused('updated_after must be a date (yyyy-mm-dd) or an ISO 8601 date-time');
  return instant.toISOString();
}
