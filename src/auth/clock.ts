// The time, as an argument: whoever judges an expiry is given a clock, so a test can hold it still.

/** Where the time comes from. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
