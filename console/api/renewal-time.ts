// When the access token of a provider is renewed, and when a failed renewal is tried again.

/** Browsers run the timers of hidden tabs once a minute. */
const LEAD_MS = 120_000;
const RETRY_MS = 5_000;
const RETRY_MS_MAX = 60_000;
const RETRY_MS_MIN = 500;

/**
 * Milliseconds until a token is renewed: two minutes before it expires, or after four fifths of its
 * life.
 * @param leftMs until it expires
 */
export function renewalWait(leftMs: number): number {
  return Math.max(leftMs - LEAD_MS, leftMs * 0.8);
}

/**
 * Milliseconds until a failed renewal is tried again: twice as long after each failure, but at most
 * a quarter of the life that is left to the token.
 * @param failures the number of failed attempts before that one
 * @param leftMs until the token expires
 */
export function retryWait(failures: number, leftMs: number): number {
  const backOff = Math.min(RETRY_MS * 2 ** failures, RETRY_MS_MAX);
  return Math.max(Math.min(backOff, leftMs / 4), RETRY_MS_MIN);
}
