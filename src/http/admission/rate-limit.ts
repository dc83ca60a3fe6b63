// Rate limit per client in fixed windows aligned to the clock. The counter is injected: one of this
// process, or Redis for several nodes.
// Invariant: exactly `requests` pass per window, and waiting for Retry-After is enough.
import {
  type Count,
  LocalCounter,
  type WindowCounter,
  type WindowCounts,
  type WindowRules,
} from '../../auth/window-counter.ts';
import { ServiceError } from '../../errors.ts';

export interface RateLimitSettings {
  /** Most requests per window. */
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The windows of the counter. */
export function rateRules({ windowSeconds }: RateLimitSettings): WindowRules {
  return { windowMs: windowSeconds * 1000, start: 'clock' };
}

/** Counts requests by key and refuses those over the limit. */
export class RateLimit {
  readonly #requests: number;
  readonly #counter: WindowCounter;

  /** @param counter counts by `rateRules(settings)` */
  constructor(settings: RateLimitSettings, counter: WindowCounter) {
    this.#requests = settings.requests;
    this.#counter = counter;
  }

  /**
   * Counts one request of `key`. With a counter of this process it returns no promise.
   * @throws ServiceError `rate_limited` with the whole seconds until the next window
   */
  admit(key: string): undefined | Promise<void> {
    const added = this.#counter.add(key);
    if (added instanceof Promise) return added.then((count) => this.#check(count));
    this.#check(added);
    return undefined;
  }

  #check({ count, leftMs }: Count): void {
    if (count <= this.#requests) return;
    throw new ServiceError('rate_limited', 'Rate Limit Exceeded', {
      retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    });
  }
}

/**
 * Creates a limit that counts in this process.
 * @param counts of all threads; left out: this thread counts alone
 */
export function localRateLimit(
  settings: RateLimitSettings,
  clock: { now(): number },
  counts?: WindowCounts,
): RateLimit {
  return new RateLimit(settings, new LocalCounter(clock, rateRules(settings), counts));
}
