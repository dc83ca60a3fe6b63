// Spreads requests so that a remote service never has to refuse one: a token bucket that counts in
// the time of the next free request (GCRA), so concurrent callers queue without a timer each.
// Invariant: no window of `seconds` holds more than `requests` requests.

/** Most requests in any window of `seconds`. */
export interface RequestRate {
  readonly requests: number;
  readonly seconds: number;
}

/** The part of the rate that may be used at once; the rest refills the bucket. */
const BURST_SHARE = 0.1;

export class RequestPace {
  readonly #now: () => number;
  readonly #intervalMs: number;
  readonly #burstMs: number;
  /** The time at which the bucket is full again. */
  #fullAt = 0;

  /** @param rate null: as fast as answers come */
  constructor(rate: RequestRate | null, now: () => number) {
    this.#now = now;
    const burst = rate === null ? 1 : Math.max(1, Math.floor(rate.requests * BURST_SHARE));
    const refill = rate === null ? 0 : Math.max(1, rate.requests - burst);
    this.#intervalMs = rate === null ? 0 : (rate.seconds * 1_000) / refill;
    this.#burstMs = (burst - 1) * this.#intervalMs;
  }

  /** Reserves the next request. @returns the milliseconds to wait before it is sent */
  reserve(): number {
    const now = this.#now();
    this.#fullAt = Math.max(this.#fullAt, now) + this.#intervalMs;
    return Math.max(0, this.#fullAt - this.#intervalMs - this.#burstMs - now);
  }

  /** Pauses all requests, as the service demands. */
  pause(ms: number): void {
    this.#fullAt = Math.max(this.#fullAt, this.#now() + ms + this.#burstMs);
  }
}
