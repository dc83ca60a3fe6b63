// Tokens whose signature has been checked, so that the second request of a token costs a hash and not a curve.
// Only what cannot change is kept: tenant, revocation and levels are judged again on each request.
// Invariant: an entry is never used past the token's own expiry, nor longer than MAX_AGE_MS, so that a key an
// external issuer has withdrawn does not live on here.
import { fingerprint } from './secrets.ts';

/** Milliseconds an entry is trusted. */
export const MAX_AGE_MS = 5 * 60_000;

interface Entry<T> {
  readonly value: T;
  /** Epoch milliseconds. */
  readonly checked: number;
  readonly until: number;
}

/** A bounded memory by token; the oldest entry leaves first. */
export class VerifiedTokens<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #size: number;

  /** @param size most tokens remembered */
  constructor(size = 10_000) {
    this.#size = size;
  }

  /** @param now epoch milliseconds */
  get(token: string, now: number): T | undefined {
    const key = fingerprint(token);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (now >= entry.checked && now < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** @param expires of the token, epoch milliseconds */
  set(token: string, value: T, expires: number, now: number): void {
    const until = Math.min(expires, now + MAX_AGE_MS);
    if (until <= now || this.#size === 0) return;
    if (this.#entries.size >= this.#size) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    this.#entries.set(fingerprint(token), { value, checked: now, until });
  }
}
