// A zone's distance from UTC, remembered. Zones are slow to ask and answer the same for months; a week at whose two ends
// the distance is the same is taken to have it throughout (no zone has left and come back within one).
import { timeZone, UTC } from './time-zone.ts';

const WEEK_MS = 7 * 86_400_000;
/** Ten thousand years are half a million weeks; nobody asks for them. */
const WEEKS_MAX = 50_000;
const CLOCKS_MAX = 100;

export class ZoneClock {
  /** Distance that never changes, in minutes; else null. */
  readonly fixed: number | null;
  readonly #zone: { offset(instant: number): number };
  readonly #weeks = new Map<number, number>();

  constructor(name: string) {
    const zone = timeZone(name) ?? UTC;
    this.#zone = zone;
    this.fixed = zone.isUniversal ? zone.offset(0) : null;
  }

  /** Minutes that the zone's clock is ahead of UTC at an instant. */
  offset(instant: number): number {
    if (this.fixed !== null) return this.fixed;
    const week = Math.floor(instant / WEEK_MS);
    const start = this.#at(week);
    return start === this.#at(week + 1) ? start : this.#zone.offset(instant);
  }

  #at(week: number): number {
    let offset = this.#weeks.get(week);
    if (offset === undefined) {
      if (this.#weeks.size >= WEEKS_MAX) this.#weeks.clear();
      offset = this.#zone.offset(week * WEEK_MS);
      this.#weeks.set(week, offset);
    }
    return offset;
  }
}

const CLOCKS = new Map<string, ZoneClock>();

/** The clock of a zone, by the names requests use; UTC where there is none of that name. */
export function zoneClock(name: string): ZoneClock {
  let clock = CLOCKS.get(name);
  if (clock === undefined) {
    if (CLOCKS.size >= CLOCKS_MAX) CLOCKS.clear();
    clock = new ZoneClock(name);
    CLOCKS.set(name, clock);
  }
  return clock;
}
