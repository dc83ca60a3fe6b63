// Slows down guessing at the token endpoint: after so many failures of one client id from one address within a
// window, that pair waits for the window to end. Right answers are never counted.
// Invariant: memory is bounded; the pair whose window began first is forgotten first.
import { ServiceError } from '../errors.ts';
import type { Clock } from './clock.ts';

/** How much guessing is borne. */
export interface GuessLimits {
  /** Failures of one pair within a window; the next attempt is refused. */
  readonly attempts: number;
  readonly windowMs: number;
  /** Pairs remembered. */
  readonly pairs: number;
}

export const DEFAULT_GUESS_LIMITS: GuessLimits = { attempts: 20, windowMs: 60_000, pairs: 10_000 };

/** Longer ids are cut for the key: no id of ours is as long. */
const KEY_LENGTH = 256;

interface Window {
  readonly began: number;
  failures: number;
}

/** Counts failures by remote address and client id. */
export class Guesses {
  readonly #clock: Clock;
  readonly #limits: GuessLimits;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock, limits: GuessLimits = DEFAULT_GUESS_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** @throws ServiceError `rate_limited` where the pair has failed too often */
  check(address: string, clientId: string): void {
    const window = this.#current(keyOf(address, clientId));
    if (window === undefined || window.failures < this.#limits.attempts) return;
    const waitMs = window.began + this.#limits.windowMs - this.#clock.now();
    throw new ServiceError('rate_limited', 'Too many failed attempts with this client id.', {
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  }

  /** Notes one failure. */
  failed(address: string, clientId: string): void {
    const key = keyOf(address, clientId);
    const window = this.#current(key);
    if (window !== undefined) {
      window.failures++;
      return;
    }
    if (this.#windows.size >= this.#limits.pairs) {
      const oldest = this.#windows.keys().next();
      if (!oldest.done) this.#windows.delete(oldest.value);
    }
    this.#windows.set(key, { began: this.#clock.now(), failures: 1 });
  }

  /** The pair's window, where it has not ended; a clock set back ends it too. */
  #current(key: string): Window | undefined {
    const window = this.#windows.get(key);
    if (window === undefined) return undefined;
    const age = this.#clock.now() - window.began;
    if (age >= 0 && age < this.#limits.windowMs) return window;
    this.#windows.delete(key);
    return undefined;
  }
}

function keyOf(address: string, clientId: string): string {
  return `${address} ${clientId.slice(0, KEY_LENGTH)}`;
}
