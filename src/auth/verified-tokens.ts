// Tokens whose signature has been checked, so that the second request of a token costs a hash and not a curve. Of the few
// used last the text itself is the key, which costs no hash either.
// Only what cannot change is kept: tenant, revocation and levels are judged again on each request.
// Invariant: an entry is never used past the token's own expiry, nor longer than MAX_AGE_MS, so that a key an
// external issuer has withdrawn does not live on here.
import { fingerprint } from './secrets.ts';

/** Milliseconds an entry is trusted. */
export const MAX_AGE_MS = 5 * 60_000;

/** Tokens that are found by their text. */
const AT_HAND = 32;

interface Entry<T> {
  readonly value: T;
  /** Epoch milliseconds. */
  readonly checked: number;
  readonly until: number;
}

/** A bounded memory by token; the oldest entry leaves first. */
export class VerifiedTokens<T> {
  readonly #entries = new Map<string, Entry<T>>();
  /** Some of the entries, by the token itself. */
  readonly #atHand = new Map<string, Entry<T>>();
  readonly #size: number;

  /** @param size most tokens remembered */
  constructor(size = 10_000) {
    this.#size = size;
  }

  /** @param now epoch milliseconds */
  get(token: string, now: number): T | undefined {
    const known = this.#atHand.get(token);
    if (known !== undefined && isGood(known, now)) return known.value;
    const key = fingerprint(token);
    const entry = this.#entries.get(key);
    if (entry !== undefined && isGood(entry, now)) {
      if (this.#atHand.size >= AT_HAND) this.#atHand.clear();
      this.#atHand.set(token, entry);
      return entry.value;
    }
    this.#atHand.delete(token);
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
    this.#atHand.delete(token);
    this.#entries.set(fingerprint(token), { value, checked: now, until });
  }
}

function isGood({ checked, until }: Entry<unknown>, now: number): boolean {
  return now >= checked && now < until;
}
