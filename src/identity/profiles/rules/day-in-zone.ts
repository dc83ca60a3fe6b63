// The calendar day in a time zone, counted from 1970-01-01 like the dates of attributes.
import { timeZone, UTC } from '../../../query/dates/time-zone.ts';

const DAY_MS = 86_400_000;

/**
 * The day in a zone at an instant.
 * @param zone IANA id or offset; an unknown one counts as UTC
 */
export function dayInZone(epochMs: number, zone: string): number {
  const offset = (timeZone(zone) ?? UTC).offset(epochMs);
  return Math.floor((epochMs + offset * 60_000) / DAY_MS);
}
