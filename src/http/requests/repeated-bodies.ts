// A cache of parsed JSON bodies by their bytes. Polling clients repeat the same body; from its
// second occurrence on they get the same value, so that later stages can cache by identity.
// Invariant: a value that may be returned twice is deeply frozen.
import { parseJsonBody } from './json-body.ts';

/** Longer bodies are not cached. */
const LONGEST_BYTES = 4 * 1024;
/** Most cached bodies, and most bodies seen only once. */
const MOST = 1_000;

export class RepeatedBodies {
  /** Parsed values by bytes. */
  readonly #values = new Map<string, object>();
  readonly #seenOnce = new Set<string>();

  /**
   * Returns the value of a body.
   * @throws ServiceError as parseJsonBody
   */
  read(bytes: Buffer): unknown {
    if (bytes.length > LONGEST_BYTES) return parseJsonBody(bytes);
    const key = bytes.toString('latin1');
    const cached = this.#values.get(key);
    if (cached !== undefined) return cached;
    const value = parseJsonBody(bytes);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#seenOnce.delete(key)) add(this.#values, () => this.#values.set(key, freeze(value)));
    else add(this.#seenOnce, () => this.#seenOnce.add(key));
    return value;
  }
}

/** Evicts the oldest entry if `cache` is full, then calls `put`. */
function add(cache: Map<string, object> | Set<string>, put: () => void): void {
  if (cache.size >= MOST) {
    const oldest = cache.keys().next();
    if (!oldest.done) cache.delete(oldest.value);
  }
  put();
}

/** Freezes a value deeply; the parser has limited its depth. */
function freeze(value: object): object {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freeze(member);
  }
  return Object.freeze(value);
}
