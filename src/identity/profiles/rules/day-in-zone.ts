// Which calendar day it is somewhere, counted from 1970-01-01 as the dates of attributes are.
import { zoneClock } from '../../../query/dates/zone-clock.ts';

const DAY_MS = 86_400_000;

/**
 * The day that clocks of a zone show at an instant.
 * @param zone IANA id or offset; one that is unknown counts as UTC
 */
export function dayInZone(epochMs: number, zone: string): number {
  return Math.floor((epochMs + zoneClock(zone).offset(epochMs) * 60_000) / DAY_MS);
}
