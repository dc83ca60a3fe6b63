// The instants at which a schedule is due (contract/search.md section 8). Days and hours are those of
// the schedule's time zone; a day that a month does not have is skipped.
// Invariant: the instants ascend strictly. Hours that a change of the clocks maps to one instant are
// due once, as are hours that happen twice.
import type { Zone } from 'luxon';
import type { Schedule, Selector } from '../ports/saved-search-records.ts';
import { DAY_MS, instantOf, localTime } from './local-time.ts';

export const WEEK_DAYS: readonly string[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
export const LAST_DAY = 'L';
const HOUR_MS = 3_600_000;
/** The longest time between two days of a calendar: 29 February around the year 2100. */
const DAYS_AHEAD = 366 * 8 + 1;

/**
 * The first instant after `after` at which the schedule is due, as epoch milliseconds; null: none,
 * or it has expired by then.
 */
export function nextDue(schedule: Schedule, after: number, zone: Zone): number | null {
  const expires =
    schedule.expiration === null ? Number.POSITIVE_INFINITY : Date.parse(schedule.expiration);
  for (const due of dueTimes(schedule, after, zone)) return due <= expires ? due : null;
  return null;
}

/** The instants after `after`, regardless of the expiration. */
function* dueTimes(schedule: Schedule, after: number, zone: Zone): Generator<number> {
  const hours = hoursOf(schedule.hours);
  // The day before may be due later than its local time, when the clocks skipped it.
  const today = Math.floor(localTime(after, zone) / DAY_MS) * DAY_MS;
  let last = after;
  for (const day of daysFrom(schedule, today - DAY_MS)) {
    for (const hour of hours) {
      const due = instantOf(day + hour * HOUR_MS, zone);
      if (due <= last) continue;
      last = due;
      yield due;
    }
  }
}

/** The days on which it is due, as midnights in UTC, ascending. */
function* daysFrom(schedule: Schedule, first: number): Generator<number> {
  if (schedule.type === 'CALENDAR') {
    yield* calendarDays(schedule.days).filter((day) => day >= first);
    return;
  }
  const matches = dayMatcher(schedule);
  for (let at = 0; at < DAYS_AHEAD; at += 1) {
    const day = first + at * DAY_MS;
    if (matches(new Date(day))) yield day;
  }
}

function dayMatcher({ type, months, days }: Schedule): (day: Date) => boolean {
  switch (type) {
    case 'DAILY':
    case 'CALENDAR':
      return () => true;
    case 'WEEKLY': {
      const chosen = selected(days, (value) => WEEK_DAYS.indexOf(value));
      return (day) => chosen.has((day.getUTCDay() + 6) % WEEK_DAYS.length);
    }
    case 'MONTHLY':
      return (day) => isDayOfMonth(days, day);
    case 'ANNUALLY': {
      const chosen = selected(months, Number);
      return (day) => chosen.has(day.getUTCMonth() + 1) && isDayOfMonth(days, day);
    }
  }
}

function isDayOfMonth(days: Selector | null, day: Date): boolean {
  const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  return selected(days, (value) => (value === LAST_DAY ? last : Number(value))).has(
    day.getUTCDate(),
  );
}

/** The dates of a CALENDAR, as midnights in UTC, ascending. */
function calendarDays(days: Selector | null): readonly number[] {
  const chosen = selected(days, (value) => Date.parse(`${value}T00:00:00Z`) / DAY_MS);
  return [...chosen].map((day) => day * DAY_MS).sort((a, b) => a - b);
}

function hoursOf(hours: Selector): readonly number[] {
  return [...selected(hours, Number)].sort((a, b) => a - b);
}

/** The numbers that a selector selects. */
function selected(
  selector: Selector | null,
  numberOf: (value: string) => number,
): ReadonlySet<number> {
  if (selector === null) return new Set();
  const numbers = selector.values.map(numberOf);
  if (selector.type === 'LIST') return new Set(numbers);
  const [from = 0, to = -1] = numbers;
  const chosen = new Set<number>();
  for (let at = from; at <= to; at += selector.interval ?? 1) chosen.add(at);
  return chosen;
}
