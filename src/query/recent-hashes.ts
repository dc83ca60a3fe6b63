// Remembers hashes that came lately, to tell whether a request may be a repeated one before anything
// of it is kept. A request that comes once leaves no more than its number in a fixed table.

const SLOTS = 4096;

export class RecentHashes {
  readonly #slots = new Int32Array(SLOTS);

  /**
   * Notes a 32-bit hash; true if it was noted before and no other one took its slot since. Different
   * requests may share a hash.
   */
  seen(hash: number): boolean {
    const slot = hash & (SLOTS - 1);
    const isSame = this.#slots[slot] === (hash | 0);
    this.#slots[slot] = hash;
    return isSame;
  }
}
