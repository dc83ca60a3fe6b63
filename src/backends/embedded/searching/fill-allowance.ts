// How much of the main thread's time requests may take for what it will cache, while others run. A
// request that began may end, and what it took too much is paid back before another one may begin.

/** Part of the time that passes. */
const SHARE = 0.1;
/** Most that is saved up, in milliseconds. */
const SAVED_MAX_MS = 100;

export class FillAllowance {
  readonly #now: () => number;
  #since: number;
  /** Below 0: taken before it was saved. */
  #savedMs = SAVED_MAX_MS;

  /** @param now in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  /** Whether a request may begin. */
  get isLeft(): boolean {
    const now = this.#now();
    this.#savedMs = Math.min(SAVED_MAX_MS, this.#savedMs + (now - this.#since) * SHARE);
    this.#since = now;
    return this.#savedMs > 0;
  }

  /** Counts time that a request took. */
  take(tookMs: number): void {
    this.#savedMs -= tookMs;
  }
}
