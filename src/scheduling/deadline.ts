// The instant until which the work for one request may take. It is made once, when the request begins,
// and handed on to all parts of its work, in whatever order and thread they run.
import { ServiceError } from '../errors.ts';

/** Milliseconds from any origin; monotonic, so that clock changes do not end queries. */
export interface Clock {
  now(): number;
}

export class Deadline {
  /** The whole time. */
  readonly timeoutMs: number;
  /** By the clock. */
  readonly at: number;
  readonly #clock: Clock;

  /** Begins now. */
  constructor(timeoutMs: number, clock: Clock = performance) {
    this.timeoutMs = timeoutMs;
    this.at = clock.now() + timeoutMs;
    this.#clock = clock;
  }

  /** Milliseconds; 0 or less if it is over. */
  get leftMs(): number {
    return this.at - this.#clock.now();
  }

  /** The error of work that it ends. */
  exceeded(): ServiceError {
    const seconds = this.timeoutMs / 1000;
    return new ServiceError('deadline_exceeded', `The query took longer than ${seconds} s`, {
      causes: [`The query was stopped after ${seconds} s: narrow it or request less at a time`],
    });
  }
}

/** The error when the caller disconnects. */
export function cancelled(): ServiceError {
  return new ServiceError('cancelled', 'The client disconnected before the response was ready');
}
