// Cuts off senders that are too slow. Within each period in which we waited for bytes of a body for the grace time, as many
// must have come as the least rate makes of that time (compare MinRequestBodyDataRate of Kestrel and RequestReadTimeout of
// Apache httpd). Time in which nobody reads the body is not held against its sender.
// Invariant: one timer for all bodies, which runs only while there are any.

export interface RateRules {
  /** Bytes a second. */
  readonly bytesPerSecond: number;
  /** Milliseconds over which the rate is measured, and which a body may therefore stall. */
  readonly graceMs: number;
}

/** A body on its way. */
export interface Transfer {
  /** Counts bytes that have come. */
  received(bytes: number): void;
  /** From now on nobody reads the body. */
  pause(): void;
  /** From now on somebody waits for the body again. */
  resume(): void;
  /** Ends the watch. */
  end(): void;
}

/** How often transfers are looked at within the grace time. */
const LOOKS = 4;
const LOOK_MS_MAX = 1_000;

export class LeastRate {
  readonly #rules: RateRules;
  readonly #clock: { now(): number };
  readonly #transfers = new Set<WatchedTransfer>();
  #timer: NodeJS.Timeout | null = null;

  constructor(rules: RateRules, clock: { now(): number } = performance) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /** @param onSlow called once, when the transfer has been too slow; its watch has ended then */
  watch(onSlow: () => void): Transfer {
    const transfer = new WatchedTransfer(this.#clock, onSlow, () => this.#forget(transfer));
    this.#transfers.add(transfer);
    const { graceMs } = this.#rules;
    this.#timer ??= setInterval(() => this.look(), Math.min(graceMs / LOOKS, LOOK_MS_MAX)).unref();
    return transfer;
  }

  /** Ends the transfers that were too slow until now. */
  look(): void {
    const { bytesPerSecond, graceMs } = this.#rules;
    for (const transfer of this.#transfers) {
      if (!transfer.isSlow(bytesPerSecond, graceMs)) continue;
      this.#forget(transfer);
      transfer.onSlow();
    }
  }

  #forget(transfer: WatchedTransfer): void {
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
  /** Of the period that is being measured. */
  #bytes = 0;
  #waitedMs = 0;
  /** null while nobody reads. */
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

  /** Looks at the period that has passed, and begins the next one where it was long enough. */
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
