// Counts events by key in time windows: the port behind rate limits and guess limits, and its
// in-process implementation. Redis (src/backends/redis/) counts for several nodes; both pass
// test/contract/window-counter.ts.
// Invariant: the count of a key resets when its window ends, and never before.
import type { Clock } from './clock.ts';

/** The count of a key and the rest of its window. */
export interface Count {
  /** Events in the current window, including this one. */
  readonly count: number;
  /** Milliseconds until the window ends; 0 when no window is open. */
  readonly leftMs: number;
}

/**
 * `clock`: all keys share windows aligned to the clock. `first`: a key's window begins with its
 * first event.
 */
export type WindowStart = 'clock' | 'first';

export interface WindowRules {
  readonly windowMs: number;
  readonly start: WindowStart;
}

/** Results are synchronous in process and promises over the network. Never fails. */
export interface WindowCounter {
  /** Adds one event. */
  add(key: string): Count | Promise<Count>;
  /** Returns the count without adding to it. */
  read(key: string): Count | Promise<Count>;
}

const NONE: Count = { count: 0, leftMs: 0 };

interface Window {
  readonly began: number;
  count: number;
}

/**
 * Counts in memory. Setting the clock back ends all windows, so that it cannot lock clients out.
 */
export class LocalCounter implements WindowCounter {
  readonly #clock: Clock;
  readonly #rules: WindowRules;
  readonly #keysMax: number;
  /** In order of window start. */
  readonly #windows = new Map<string, Window>();

  /** @param keysMax maximum number of keys; the key with the oldest window is dropped first */
  constructor(clock: Clock, rules: WindowRules, keysMax = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#rules = rules;
    this.#keysMax = keysMax;
  }

  add(key: string): Count {
    const now = this.#clock.now();
    let window = this.#windows.get(key);
    if (window === undefined || !this.#isOpen(window, now)) window = this.#open(key, now);
    window.count++;
    return this.#toCount(window, now);
  }

  read(key: string): Count {
    const now = this.#clock.now();
    const window = this.#windows.get(key);
    return window === undefined || !this.#isOpen(window, now) ? NONE : this.#toCount(window, now);
  }

  /** Ends the windows of all keys that begin with `prefix`. */
  forget(prefix: string): void {
    for (const key of this.#windows.keys()) {
      if (key.startsWith(prefix)) this.#windows.delete(key);
    }
  }

  #toCount({ began, count }: Window, now: number): Count {
    return { count, leftMs: began + this.#rules.windowMs - now };
  }

  #isOpen({ began }: Window, now: number): boolean {
    const age = now - began;
    return age >= 0 && age < this.#rules.windowMs;
  }

  #open(key: string, now: number): Window {
    this.#windows.delete(key);
    for (const [oldest, window] of this.#windows) {
      if (this.#isOpen(window, now) && this.#windows.size < this.#keysMax) break;
      this.#windows.delete(oldest);
    }
    const { windowMs, start } = this.#rules;
    const window = { began: start === 'clock' ? now - (now % windowMs) : now, count: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
