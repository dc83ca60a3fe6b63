// The clock of leases and retries, which the nodes on a store share: that of the database. By its own
// clock, a node that is fast would take what another one has just taken, and send it a second time.
import { type Clock, systemClock } from '../auth/clock.ts';
import type { DueTimes } from '../identity/ports/saved-search-records.ts';
import type { Store } from '../identity/ports/store.ts';

/** A clock that the processes of a store share, in whole milliseconds. */
export interface LeaseClock extends Clock {
  /** Compares it with its source again, if that is long ago; called before each look for work. */
  refresh(): Promise<void>;
}

const REFRESH_MS = 10_000;

/** The clock of the database; the system clock if the store has none, as all is on one machine. */
export class StoreClock implements LeaseClock {
  readonly #store: Pick<Store, 'now'>;
  readonly #monotonic: Clock;
  /** The time of the store at a time of the monotonic clock; null: unknown, or it has none. */
  #reading: { readonly storeMs: number; readonly atMs: number } | null = null;

  constructor(store: Pick<Store, 'now'>, monotonic: Clock = performance) {
    this.#store = store;
    this.#monotonic = monotonic;
  }

  now(): number {
    if (this.#reading === null) return systemClock.now();
    const { storeMs, atMs } = this.#reading;
    return Math.round(storeMs + this.#monotonic.now() - atMs);
  }

  async refresh(): Promise<void> {
    const before = this.#monotonic.now();
    if (this.#reading !== null && before - this.#reading.atMs < REFRESH_MS) return;
    const storeMs = await this.#store.now();
    const atMs = (before + this.#monotonic.now()) / 2;
    this.#reading = storeMs === null ? null : { storeMs, atMs };
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
