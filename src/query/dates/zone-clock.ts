// Cached UTC offsets of a zone. Lookups are slow and the offset stays the same for months: a week
// with the same offset at both ends is taken to have it throughout (no zone has ever changed twice
// within a week).
import { BoundedMap } from '../bounded-map.ts';
import { timeZone, UTC } from './time-zone.ts';

const WEEK_MS = 7 * 86_400_000;

export class ZoneClock {
  /** UTC offset in minutes if it is constant; else null. */
  readonly fixed: number | null;
  readonly #zone: { offset(instant: number): number };
  /** Nearly a thousand years. */
  readonly #weeks = new BoundedMap<number, number>({ kept: 50_000 });

  /** @param name of a request; an unknown one counts as UTC */
  constructor(name: string) {
    const zone = timeZone(name) ?? UTC;
    this.#zone = zone;
    this.fixed = zone.isUniversal ? zone.offset(0) : null;
  }

  /** UTC offset in minutes at an instant. */
  offset(instant: number): number {
    if (this.fixed !== null) return this.fixed;
    const week = Math.floor(instant / WEEK_MS);
    const start = this.#offsetAtWeek(week);
    return start === this.#offsetAtWeek(week + 1) ? start : this.#zone.offset(instant);
  }

  #offsetAtWeek(week: number): number {
    return this.#weeks.get(week) ?? this.#weeks.add(week, this.#zone.offset(week * WEEK_MS));
  }
}
