// The calendar day in a time zone, counted from 1970-01-01 like the dates of attributes.
import { zoneClock } from '../../../query/dates/zone-clock.ts';

const DAY_MS = 86_400_000;

/**
 * The day in a zone at an instant.
 * @param zone IANA id or offset; an unknown one counts as UTC
 */
export function dayInZone(epochMs: number, zone: string): number {
  return Math.floor((epochMs + zoneClock(zone).offset(epochMs) * 60_000) / DAY_MS);
}
