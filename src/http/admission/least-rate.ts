// Cuts off senders that are too slow: each body must arrive at the least rate, averaged over
// periods of the grace time (compare MinRequestBodyDataRate of Kestrel and RequestReadTimeout of
// Apache httpd). Time in which the server does not read the body does not count.
// Invariant: one timer for all bodies, which runs only while there are any.

export interface RateRules {
  /** Bytes per second. */
  readonly bytesPerSecond: number;
  /** Milliseconds over which the rate is measured, and so the longest stall. */
  readonly graceMs: number;
}

/** A body that is being received. */
export interface Transfer {
  /** Counts received bytes. */
  received(bytes: number): void;
  /** Stops the clock while the server does not read the body. */
  pause(): void;
  /** Starts the clock again. */
  resume(): void;
  /** Stops watching. */
  end(): void;
}

/** Checks of each transfer within the grace time. */
const CHECKS = 4;
const CHECK_MS_MAX = 1_000;

export class LeastRate {
  readonly #rules: RateRules;
  readonly #clock: { now(): number };
  readonly #transfers = new Set<WatchedTransfer>();
  #timer: NodeJS.Timeout | null = null;

  constructor(rules: RateRules, clock: { now(): number } = performance) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /** Watches a transfer. @param onSlow called once, if it is too slow; watching has then ended */
  watch(onSlow: () => void): Transfer {
    const transfer = new WatchedTransfer(this.#clock, onSlow, () => this.#unwatch(transfer));
    this.#transfers.add(transfer);
    const { graceMs } = this.#rules;
    this.#timer ??= setInterval(
      () => this.check(),
      Math.min(graceMs / CHECKS, CHECK_MS_MAX),
    ).unref();
    return transfer;
  }

  /** Ends the transfers that have been too slow. */
  check(): void {
    const { bytesPerSecond, graceMs } = this.#rules;
    for (const transfer of this.#transfers) {
      if (!transfer.isSlow(bytesPerSecond, graceMs)) continue;
      this.#unwatch(transfer);
      transfer.onSlow();
    }
  }

  #unwatch(transfer: WatchedTransfer): void {
    this.#transfers.delete(transfer);
    if (this.#transfers.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

class WatchedTransfer implements Transfer {
  readonly onSlow: () => void;
  readonly end: () => void;
  readonly #clock: { now(): number };
  /** Bytes of the current period. */
  #bytes = 0;
  #waitedMs = 0;
  /** null while paused. */
  #since: number | null;

  constructor(clock: { now(): number }, onSlow: () => void, end: () => void) {
    this.#clock = clock;
    this.onSlow = onSlow;
    this.end = end;
    this.#since = clock.now();
  }

  received(bytes: number): void {
    this.#bytes += bytes;
  }

  pause(): void {
    if (this.#since === null) return;
    this.#waitedMs += this.#clock.now() - this.#since;
    this.#since = null;
  }

  resume(): void {
    this.#since ??= this.#clock.now();
  }

  /** Checks the current period, and starts a new one if it is complete. */
  isSlow(bytesPerSecond: number, graceMs: number): boolean {
    const now = this.#clock.now();
    const waitedMs = this.#waitedMs + (this.#since === null ? 0 : now - this.#since);
    if (waitedMs < graceMs) return false;
    if (this.#bytes < (bytesPerSecond * waitedMs) / 1000) return true;
    this.#bytes = 0;
    this.#waitedMs = 0;
    if (this.#since !== null) this.#since = now;
    return false;
  }
}
