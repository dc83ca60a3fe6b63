// The clock of leases and retries, which the nodes on a store share: that of the database. By its own
// clock, a node that is fast would take what another one has just taken, and send it a second time.
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { DueTimes } from '../../service/ports/saved-search-records.ts';
import type { Store } from '../../service/ports/store.ts';

/** A clock that the processes of a store share, in whole milliseconds. */
export interface LeaseClock extends Clock {
  /**
   * Compares it with its source again, if that is long ago or the machine was suspended since;
   * called before each look for work.
   */
  refresh(): Promise<void>;
}

const REFRESH_MS = 10_000;
/** More than two clocks of a machine drift apart within that time. */
const DRIFT_MS = 1_000;

/** The clocks at one moment. */
interface Reading {
  readonly storeMs: number;
  readonly monotonicMs: number;
  readonly systemMs: number;
}

/** The clock of the database; the system clock if the store has none, as all is on one machine. */
export class StoreClock implements LeaseClock {
  readonly #store: Pick<Store, 'now'>;
  readonly #monotonic: Clock;
  readonly #system: Clock;
  /** null: unknown, or the store has no clock. */
  #reading: Reading | null = null;

  constructor(
    store: Pick<Store, 'now'>,
    monotonic: Clock = performance,
    system: Clock = systemClock,
  ) {
    this.#store = store;
    this.#monotonic = monotonic;
    this.#system = system;
  }

  now(): number {
    if (this.#reading === null) return this.#system.now();
    const { storeMs, monotonicMs } = this.#reading;
    return Math.round(storeMs + this.#monotonic.now() - monotonicMs);
  }

  async refresh(): Promise<void> {
    if (this.#reading !== null && this.#isFresh(this.#reading)) return;
    const [monotonicMs, systemMs] = [this.#monotonic.now(), this.#system.now()];
    const storeMs = await this.#store.now();
    const halfMs = (this.#monotonic.now() - monotonicMs) / 2;
    this.#reading =
      storeMs === null
        ? null
        : { storeMs, monotonicMs: monotonicMs + halfMs, systemMs: systemMs + halfMs };
  }

  #isFresh({ monotonicMs, systemMs }: Reading): boolean {
    const passedMs = this.#monotonic.now() - monotonicMs;
    // The monotonic clock stands still while the machine is suspended.
    const driftMs = this.#system.now() - systemMs - passedMs;
    return passedMs < REFRESH_MS && Math.abs(driftMs) <= DRIFT_MS;
  }
}

/** When rows are due whose times are never more than `longestMs` ahead when they are written. */
export function dueTimes(clock: Clock, longestMs: number): DueTimes {
  const now = clock.now();
  return { now, latest: now + 2 * longestMs };
}

/** Whether a process may take a row with this time. */
export function isDue(openAt: number | null, { now, latest }: DueTimes): openAt is number {
  return openAt !== null && (openAt <= now || openAt > latest);
}
