// A cache of parsed JSON bodies by their bytes. Polling clients repeat the same body; from its
// second occurrence on they get the same value, so that later stages can cache by identity. Of a
// body that comes once, nothing but a hash is kept.
// Invariant: a value that may be returned twice is deeply frozen.
import { HASH_START, hashBytes } from '../../query/fnv-hash.ts';
import { RecentHashes } from '../../query/recent-hashes.ts';
import { parseJsonBody } from './json-body.ts';

/** Longer bodies are not cached. */
const LONGEST_BYTES = 4 * 1024;
/** Most cached bodies. */
const MOST = 1_000;

export class RepeatedBodies {
  /** Parsed values by bytes. */
  readonly #values = new Map<string, object>();
  readonly #hashes = new RecentHashes();

  /**
   * Returns the value of a body.
   * @throws ServiceError as parseJsonBody
   */
  read(bytes: Buffer): unknown {
    if (bytes.length > LONGEST_BYTES || !this.#hashes.seen(hashBytes(HASH_START, bytes))) {
      return parseJsonBody(bytes);
    }
    const key = bytes.toString('latin1');
    const cached = this.#values.get(key);
    if (cached !== undefined) return cached;
    const value = parseJsonBody(bytes);
    if (typeof value !== 'object' || value === null) return value;
    this.#add(key, freeze(value));
    return value;
  }

  #add(key: string, value: object): void {
    if (this.#values.size >= MOST) {
      const oldest = this.#values.keys().next();
      if (!oldest.done) this.#values.delete(oldest.value);
    }
    this.#values.set(key, value);
  }
}

/** Freezes a value deeply; the parser has limited its depth. */
function freeze(value: object): object {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freeze(member);
  }
  return Object.freeze(value);
}
