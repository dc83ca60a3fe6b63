// Finds the interval of a date histogram that contains an instant: a calendar unit or a fixed
// length, in local time of a zone. Results are cached by day, because the dates of documents share
// few days.
// Invariant: `start(x) <= x`, and `next(start(x))` is the start of the following interval.
import type { CalendarUnit, DateIntervals } from '../aggregation.ts';
import { BoundedMap } from '../bounded-map.ts';
import { addToWall, instantOf, startOnWall } from './dates.ts';
import type { ZoneClock } from './zone-clock.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Of the caches by day: nearly thirty years. */
const DAYS = { kept: 10_000 };

/** Units of constant length. */
const EXACT_MS: Readonly<Partial<Record<CalendarUnit, number>>> = {
  h: 3_600_000,
  m: MINUTE_MS,
  s: 1000,
};
const USUAL_MS: Readonly<Record<CalendarUnit, number>> = {
  y: 365 * DAY_MS,
  q: 91 * DAY_MS,
  M: 30 * DAY_MS,
  w: 7 * DAY_MS,
  d: DAY_MS,
  h: 3_600_000,
  m: MINUTE_MS,
  s: 1000,
};

/** Rounds instants (epoch milliseconds) down to the start of their interval. */
export class DateRounding {
  /** Approximate length of an interval. */
  readonly usualMs: number;
  readonly #zone: ZoneClock;
  readonly #offsetMs: number;
  readonly #unit: CalendarUnit | null;
  readonly #lengthMs: number;
  readonly #spans = new BoundedMap<number, number[]>(DAYS);
  /** The next start, by start. */
  readonly #nexts = new BoundedMap<number, number>(DAYS);

  /** @param zone that of the intervals */
  constructor({ every, offsetMs }: Omit<DateIntervals, 'timeZone'>, zone: ZoneClock) {
    this.#zone = zone;
    this.#offsetMs = offsetMs;
    this.#unit = typeof every === 'number' ? null : every;
    this.usualMs = typeof every === 'number' ? every : USUAL_MS[every];
    this.#lengthMs = this.usualMs;
  }

  /** Returns the start of the interval that contains an instant. */
  start(instant: number): number {
    return this.#start(instant - this.#offsetMs) + this.#offsetMs;
  }

  /**
   * Returns the start of the next interval.
   * @param start of an interval
   */
  next(start: number): number {
    return this.#nexts.get(start) ?? this.#nexts.add(start, this.#next(start));
  }

  #next(start: number): number {
    const at = start - this.#offsetMs;
    const unit = this.#unit;
    if (unit !== null && EXACT_MS[unit] === undefined) {
      const wall = startOfUnit(at + this.#offset(at), unit);
      return instantOf(plusUnit(wall, unit), this.#zone) + this.#offsetMs;
    }
    const after = this.#start(at + this.#lengthMs);
    if (after > at) return after + this.#offsetMs;
    // Clocks went back: adding the length does not leave the interval.
    const offset = this.#offset(at);
    const beyond = instantOf(at + offset + this.#lengthMs, this.#zone, offset);
    return Math.max(beyond, at + this.#lengthMs) + this.#offsetMs;
  }

  #start(at: number): number {
    const unit = this.#unit;
    if (unit !== null && EXACT_MS[unit] === undefined && !(unit === 'd' && this.#isFixed())) {
      return this.#unitStart(at, unit);
    }
    const offset = this.#offset(at);
    const wall = at + offset;
    const start = Math.floor(wall / this.#lengthMs) * this.#lengthMs;
    if (unit !== null || this.#isFixed() || this.#offset(start - offset) === offset) {
      return start - offset;
    }
    return Math.min(at, instantOf(start, this.#zone, offset));
  }

  #isFixed(): boolean {
    return this.#zone.fixed !== null;
  }

  /** Start of a calendar unit; caches the units of each UTC day as pairs of start and end. */
  #unitStart(at: number, unit: CalendarUnit): number {
    const day = Math.floor(at / DAY_MS);
    const spans = this.#spans.get(day) ?? this.#spans.add(day, []);
    for (let i = 0; i < spans.length; i += 2) {
      const start = spans[i] ?? 0;
      if (start <= at && at < (spans[i + 1] ?? 0)) return start;
    }
    const wall = startOfUnit(at + this.#offset(at), unit);
    const start = instantOf(wall, this.#zone);
    const end = instantOf(plusUnit(wall, unit), this.#zone);
    if (start <= at && at < end) spans.push(start, end);
    return start;
  }

  /** UTC offset of the zone in milliseconds. */
  #offset(at: number): number {
    return this.#zone.offset(at) * MINUTE_MS;
  }
}

function startOfUnit(wall: number, unit: CalendarUnit): number {
  if (unit !== 'q') return startOnWall(wall, unit);
  const month = startOnWall(wall, 'M');
  return addToWall(month, -(new Date(month).getUTCMonth() % 3), 'M');
}

function plusUnit(wall: number, unit: CalendarUnit): number {
  return unit === 'q' ? addToWall(wall, 3, 'M') : addToWall(wall, 1, unit);
}
