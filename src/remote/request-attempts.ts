// The attempts of one request: how long to wait before the next one, and when there is no other.
// Invariant: all of them together, with the waits between them, take REQUEST_MS_MAX, and the last one
// ANSWER_MS_MIN more at most. Waits for the pace that the operator chose do not count.
import { ServiceError } from '../errors.ts';
import {
  ANSWER_MS_MAX,
  ANSWER_MS_MIN,
  FEW_RETRIES_MAX,
  REQUEST_MS_MAX,
  RETRIES_MAX,
} from './remote-limits.ts';
import { ServiceRefusal } from './service-refusal.ts';

const BACKOFF_MS = 250;
const BACKOFF_MS_MAX = 30_000;
/** The wait after a 429 without Retry-After. */
const BUSY_MS = 10_000;
const BUSY = 429;

export class RequestAttempts {
  readonly #now: () => number;
  readonly #random: () => number;
  /** When the first attempt was sent; null before. */
  #began: number | null = null;
  #sentAt = 0;
  #pacedMs = 0;
  #waitedMs = 0;
  #count = 0;
  #failed = 0;

  /** @param random a number from 0 to 1, for the jitter */
  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /**
   * Begins an attempt that waited for the pace since `pacedFrom`.
   * @returns the milliseconds that it may take
   */
  begin(pacedFrom: number): number {
    const now = this.#now();
    if (this.#began !== null) this.#pacedMs += now - pacedFrom;
    this.#began ??= now;
    this.#sentAt = now;
    this.#count += 1;
    return Math.min(ANSWER_MS_MAX, Math.max(ANSWER_MS_MIN, REQUEST_MS_MAX - this.#tookMs()));
  }

  /** Milliseconds that the last attempt took. */
  get lastMs(): number {
    return this.#now() - this.#sentAt;
  }

  /**
   * Returns the milliseconds to wait before the next attempt; if there is none, the error of the
   * request, which says what was tried.
   * @param isHopeful false where few attempts are worth it
   */
  waitAfter(error: ServiceError, isHopeful: boolean): number | ServiceError {
    if (!isBusy(error)) this.#failed += 1;
    // Exponential, with full jitter.
    const doublings = Math.min(this.#count - 1, 20);
    const backoff = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** doublings) * this.#random();
    const demanded = error instanceof ServiceRefusal ? error.retryAfterMs : null;
    // A service that says "at once", or a time that has passed, is not asked again at once.
    const waitMs = Math.max(demanded ?? (isBusy(error) ? BUSY_MS : 0), Math.ceil(backoff));
    const limitMs = isHopeful ? REQUEST_MS_MAX : ANSWER_MS_MAX;
    const isLate = this.#tookMs() + waitMs > limitMs;
    if (isLate || this.#failed > (isHopeful ? RETRIES_MAX : FEW_RETRIES_MAX)) {
      return this.#givenUp(error, isLate && demanded === waitMs ? { waitMs, limitMs } : null);
    }
    this.#waitedMs += waitMs;
    return waitMs;
  }

  /** A clock that stands still ends no request, so waits count by themselves. */
  #tookMs(): number {
    const began = this.#began ?? this.#now();
    return Math.max(this.#waitedMs, this.#now() - began - this.#pacedMs);
  }

  #givenUp(
    { code, message }: ServiceError,
    demanded: { readonly waitMs: number; readonly limitMs: number } | null,
  ): ServiceError {
    const attempts = `${this.#count} ${this.#count === 1 ? 'attempt' : 'attempts'}`;
    const took = `given up after ${attempts} in ${seconds(this.#tookMs())}`;
    const waited = this.#waitedMs === 0 ? '' : `, ${seconds(this.#waitedMs)} of it waiting`;
    if (demanded === null) return new ServiceError(code, `${message} (${took}${waited})`);
    const { waitMs, limitMs } = demanded;
    const [wait, limit] = [seconds(waitMs), `the limit of ${seconds(limitMs)}`];
    const beyond =
      waitMs > limitMs ? `${wait}, longer than ${limit}` : `${wait} more than ${limit} allows`;
    const demand = `the service asks to wait ${beyond}`;
    return new ServiceError(code, `${message} (${took}${waited}: ${demand})`);
  }
}

/** Whether the service postponed a request because there were too many. */
export function isBusy(error: ServiceError): boolean {
  return error instanceof ServiceRefusal && error.status === BUSY;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
