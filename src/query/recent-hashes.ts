// Counts how often hashes came lately, to tell what repeats before anything of it is kept. What comes
// once leaves no more than its number in a fixed table, and nothing for the garbage collector.

const SLOTS = 4096;
const USES_MAX = 0xffff;

export class RecentHashes {
  readonly #hashes: Int32Array;
  readonly #uses: Uint16Array;

  /** @param slots most hashes that are known at a time; a power of two */
  constructor(slots = SLOTS) {
    this.#hashes = new Int32Array(slots);
    this.#uses = new Uint16Array(slots);
  }

  /**
   * Counts a use of what has this 32-bit hash. Different things may share a hash.
   * @returns the number of its uses with this one, at most 65,535, since another hash had its slot
   */
  use(hash: number): number {
    const slot = hash & (this.#hashes.length - 1);
    const before = this.#hashes[slot] === (hash | 0) ? (this.#uses[slot] ?? 0) : 0;
    const uses = Math.min(before + 1, USES_MAX);
    this.#hashes[slot] = hash;
    this.#uses[slot] = uses;
    return uses;
  }

  /** Counts a use; true if it is not the first one. */
  seen(hash: number): boolean {
    return this.use(hash) > 1;
  }
}
