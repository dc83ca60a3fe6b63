// Cache of verified tokens, so that the next request with a token needs a hash instead of a
// signature check; the most recently used tokens are found by their text, without a hash. Only
// claims are cached: tenant, revocation and levels are checked on each request.
// Invariant: an entry is not used after the token's expiry, nor longer than MAX_AGE_MS, so that
// keys withdrawn by an external issuer stop working.
import { BoundedMap, type CachePolicy } from '../query/bounded-map.ts';
import { fingerprint } from './secrets.ts';

/** Maximum age of an entry in milliseconds. */
export const MAX_AGE_MS = 5 * 60_000;

interface Entry<T> {
  readonly value: T;
  /** Epoch milliseconds. */
  readonly checked: number;
  readonly until: number;
}

/** A bounded cache by token. */
export class VerifiedTokens<T> {
  readonly #entries: BoundedMap<string, Entry<T>>;
  /** The entries used last, by token text. */
  readonly #recent = new BoundedMap<string, Entry<T>>({ kept: 32 });

  constructor(policy: CachePolicy = { kept: 10_000 }) {
    this.#entries = new BoundedMap(policy);
  }

  /** @param now epoch milliseconds */
  get(token: string, now: number): T | undefined {
    const recentEntry = this.#recent.get(token);
    if (recentEntry !== undefined && isValid(recentEntry, now)) return recentEntry.value;
    const key = fingerprint(token);
    const entry = this.#entries.get(key);
    if (entry !== undefined && isValid(entry, now)) {
      this.#recent.add(token, entry);
      return entry.value;
    }
    this.#recent.delete(token);
    this.#entries.delete(key);
    return undefined;
  }

  /** @param expires of the token, epoch milliseconds */
  set(token: string, value: T, expires: number, now: number): void {
    const until = Math.min(expires, now + MAX_AGE_MS);
    if (until <= now) return;
    this.#recent.delete(token);
    this.#entries.add(fingerprint(token), { value, checked: now, until });
  }
}

function isValid({ checked, until }: Entry<unknown>, now: number): boolean {
  return now >= checked && now < until;
}
