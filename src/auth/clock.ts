// The time as a dependency: code that checks expiries takes a clock, so that tests can set it.

/** A source of the current time. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };
