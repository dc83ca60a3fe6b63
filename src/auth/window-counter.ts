// Counting by key in windows of time: the port behind rate limits and the counting of guesses, and the counter that lives
// in this process. Redis (src/redis/) counts for several nodes; test/contract/window-counter.ts holds both to this.
// Invariant: a key's count falls to nothing when its window ends, and never before.
import type { Clock } from './clock.ts';

/** What a key has come to. */
export interface Count {
  /** Within its window, this one included. */
  readonly count: number;
  /** Milliseconds until the window ends; 0 where none has begun. */
  readonly leftMs: number;
}

/** `clock`: windows are the same for all keys, aligned to the clock. `first`: a key's window begins with its first count. */
export type WindowStart = 'clock' | 'first';

export interface WindowRules {
  readonly windowMs: number;
  readonly start: WindowStart;
}

/** At once where the count lives here, later where it does not; it never fails. */
export interface WindowCounter {
  /** Counts one. */
  add(key: string): Count | Promise<Count>;
  /** Counts nothing. */
  read(key: string): Count | Promise<Count>;
}

const NONE: Count = { count: 0, leftMs: 0 };

interface Window {
  readonly began: number;
  count: number;
}

/** Counts in memory. A clock that is set back ends all windows, so that it locks nobody out. */
export class LocalCounter implements WindowCounter {
  readonly #clock: Clock;
  readonly #rules: WindowRules;
  readonly #keysMax: number;
  /** The window that began first stands first. */
  readonly #windows = new Map<string, Window>();

  /** @param keysMax keys remembered; the one whose window began first is forgotten first */
  constructor(clock: Clock, rules: WindowRules, keysMax = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#rules = rules;
    this.#keysMax = keysMax;
  }

  add(key: string): Count {
    const now = this.#clock.now();
    let window = this.#windows.get(key);
    if (window === undefined || !this.#runs(window, now)) window = this.#begin(key, now);
    window.count++;
    return this.#told(window, now);
  }

  read(key: string): Count {
    const now = this.#clock.now();
    const window = this.#windows.get(key);
    return window === undefined || !this.#runs(window, now) ? NONE : this.#told(window, now);
  }

  #told({ began, count }: Window, now: number): Count {
    return { count, leftMs: began + this.#rules.windowMs - now };
  }

  #runs({ began }: Window, now: number): boolean {
    const age = now - began;
    return age >= 0 && age < this.#rules.windowMs;
  }

  #begin(key: string, now: number): Window {
    this.#windows.delete(key);
    for (const [oldest, window] of this.#windows) {
      if (this.#runs(window, now) && this.#windows.size < this.#keysMax) break;
      this.#windows.delete(oldest);
    }
    const { windowMs, start } = this.#rules;
    const window = { began: start === 'clock' ? now - (now % windowMs) : now, count: 0 };
    this.#windows.set(key, window);
    return window;
  }
}
