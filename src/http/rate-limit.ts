// So many requests per client and API version in fixed windows aligned to the clock. Counters live in this process.
// Invariant: exactly `requests` pass in a window, and waiting as long as the answer says is enough.
import { ServiceError } from '../errors.ts';

export interface RateLimitSettings {
  /** How many pass in a window. */
  readonly requests: number;
  readonly windowSeconds: number;
}

/** Counts requests by key; what is over the limit is refused. */
export class RateLimit {
  readonly #requests: number;
  readonly #windowMs: number;
  readonly #clock: { now(): number };
  readonly #counts = new Map<string, number>();
  #window = Number.NaN;

  constructor(settings: RateLimitSettings, clock: { now(): number }) {
    this.#requests = settings.requests;
    this.#windowMs = settings.windowSeconds * 1000;
    this.#clock = clock;
  }

  /**
   * Counts one request of `key`.
   * @throws ServiceError `rate_limited` with the whole seconds until the next window
   */
  admit(key: string): void {
    const now = this.#clock.now();
    const window = Math.floor(now / this.#windowMs);
    if (window !== this.#window) {
      // All keys share the windows, so memory is bounded by the clients of one window.
      this.#window = window;
      this.#counts.clear();
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    if (count > this.#requests) {
      const waitMs = (window + 1) * this.#windowMs - now;
      throw new ServiceError('rate_limited', 'Rate Limit Exceeded', {
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      });
    }
    this.#counts.set(key, count);
  }
}
