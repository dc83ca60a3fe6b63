// The instants of local times. A local time that the clocks skip is the moment at which they are put
// forward; one that happens twice is the first of both.
import { FixedOffsetZone, IANAZone, type Zone } from 'luxon';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** UTC, without loading the time zones of Intl, which takes 15 ms of each start. */
export const UTC_ZONE: Zone = FixedOffsetZone.utcInstance;

/** A time zone by its IANA name. @returns null if there is none of that name */
export function zoneOf(name: string): Zone | null {
  if (name === 'UTC') return UTC_ZONE;
  return IANAZone.isValidZone(name) ? IANAZone.create(name) : null;
}

/** Local time at an instant, in milliseconds as if it were UTC. */
export function localTime(instant: number, zone: Zone): number {
  return instant + offsetAt(instant, zone);
}

/**
 * The instant of a local time.
 * @param local in milliseconds as if it were UTC
 */
export function instantOf(local: number, zone: Zone): number {
  // No zone changes its offset twice within two days.
  const [before, after] = [offsetAt(local - DAY_MS, zone), offsetAt(local + DAY_MS, zone)];
  const instants = [local - before, local - after].filter(
    (instant) => instant + offsetAt(instant, zone) === local,
  );
  return instants.length > 0 ? Math.min(...instants) : changeBetween(local, zone);
}

/** The instant of the change of offset within a day of a local time, by bisection. */
function changeBetween(local: number, zone: Zone): number {
  let [low, high] = [local - DAY_MS, local + DAY_MS];
  const before = offsetAt(low, zone);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle, zone) === before) low = middle;
    else high = middle;
  }
  return high;
}

function offsetAt(instant: number, zone: Zone): number {
  return zone.offset(instant) * MINUTE_MS;
}
