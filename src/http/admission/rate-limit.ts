// So many requests per client in fixed windows aligned to the clock. Who counts is handed in: this process
// alone, or Redis for several nodes.
// Invariant: exactly `requests` pass in a window, and waiting as long as the answer says is enough.
import {
  type Count,
  LocalCounter,
  type WindowCounter,
  type WindowRules,
} from '../../auth/window-counter.ts';
import { ServiceError } from '../../errors.ts';

export interface RateLimitSettings {
  /** How many pass in a window. */
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The windows that requests are counted in. */
export function rateRules({ windowSeconds }: RateLimitSettings): WindowRules {
  return { windowMs: windowSeconds * 1000, start: 'clock' };
}

/** Counts requests by key; what is over the limit is refused. */
export class RateLimit {
  readonly #requests: number;
  readonly #counter: WindowCounter;

  /** @param counter one that follows `rateRules(settings)` */
  constructor(settings: RateLimitSettings, counter: WindowCounter) {
    this.#requests = settings.requests;
    this.#counter = counter;
  }

  /**
   * Counts one request of `key`. Where the count lives in this process it is over at once.
   * @throws ServiceError `rate_limited` with the whole seconds until the next window
   */
  admit(key: string): undefined | Promise<void> {
    const counted = this.#counter.add(key);
    if (counted instanceof Promise) return counted.then((count) => this.#judge(count));
    this.#judge(counted);
    return undefined;
  }

  #judge({ count, leftMs }: Count): void {
    if (count <= this.#requests) return;
    throw new ServiceError('rate_limited', 'Rate Limit Exceeded', {
      retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    });
  }
}

/**
 * A limit of this process alone.
 * @param keysMax keys that it remembers at most
 */
export function localRateLimit(
  settings: RateLimitSettings,
  clock: { now(): number },
  keysMax?: number,
): RateLimit {
  return new RateLimit(settings, new LocalCounter(clock, rateRules(settings), keysMax));
}
