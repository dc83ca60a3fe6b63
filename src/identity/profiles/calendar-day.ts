// Calendar days as whole numbers, days since 1970-01-01, so that dates are compared and counted without a clock.
import { zoneClock } from '../../query/zone-clock.ts';

const DAY_MS = 86_400_000;

/** The order of day, month and year in each `date_format`. */
const ISO = 'yyyy-mm-dd';

/** The day of a text in that format (`mm/dd/yyyy` and its like); null where it is none. */
export function dayOfText(text: string, format: string): number | null {
  let pattern = '';
  for (const part of format.split(/([/-])/)) {
    if (part === 'yyyy') pattern += '(?<y>\\d{4})';
    else if (part === 'mm') pattern += '(?<m>\\d{2})';
    else if (part === 'dd') pattern += '(?<d>\\d{2})';
    else pattern += part;
  }
  const { y, m, d } = new RegExp(`^${pattern}$`).exec(text)?.groups ?? {};
  return y === undefined ? null : dayOf(Number(y), Number(m), Number(d));
}

/** The day of `yyyy-mm-dd`. */
export function dayOfIso(text: string): number | null {
  return dayOfText(text, ISO);
}

/** The day it is at an instant where the clocks of that zone hang. */
export function dayInZone(epochMs: number, zone: string): number {
  return Math.floor((epochMs + zoneClock(zone).offset(epochMs) * 60_000) / DAY_MS);
}

function dayOf(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return real ? date.getTime() / DAY_MS : null;
}
