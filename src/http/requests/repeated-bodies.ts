// JSON bodies that came lately. Whoever polls sends the same bytes each time; what they were parsed to the second time is
// handed out from then on, so that all that depends on it can be remembered by it, too.
// Invariant: what may be handed out twice is frozen in depth.
import { parseJsonBody } from './json-body.ts';

/** Longer bodies are parsed each time. */
const LONGEST_BYTES = 4 * 1024;
/** Bodies remembered, and as many that came only once. */
const MOST = 1_000;

export class RepeatedBodies {
  /** By bytes. */
  readonly #known = new Map<string, object>();
  readonly #once = new Set<string>();

  /**
   * The value of a body.
   * @throws ServiceError as parseJsonBody
   */
  read(bytes: Buffer): unknown {
    if (bytes.length > LONGEST_BYTES) return parseJsonBody(bytes);
    const key = bytes.toString('latin1');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = parseJsonBody(bytes);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#once.delete(key)) add(this.#known, () => this.#known.set(key, freeze(value)));
    else add(this.#once, () => this.#once.add(key));
    return value;
  }
}

/** What has been there longest makes room. */
function add(kept: Map<string, object> | Set<string>, put: () => void): void {
  if (kept.size >= MOST) {
    const oldest = kept.keys().next();
    if (!oldest.done) kept.delete(oldest.value);
  }
  put();
}

/** In depth, which the parser has bounded. */
function freeze(value: object): object {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freeze(member);
  }
  return Object.freeze(value);
}
