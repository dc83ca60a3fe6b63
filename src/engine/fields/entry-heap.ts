// A binary heap of small numbers that stand for entries of other arrays. The order is that of a
// comparison, which may read what the entries stand for.
// Invariant: an entry changes its order only while it is the first, followed by `sinkFirst`.

export class EntryHeap {
  size = 0;
  readonly #entries: Int32Array;
  readonly #isBefore: (a: number, b: number) => boolean;

  /** @param isBefore true if entry `a` comes before entry `b` */
  constructor(capacity: number, isBefore: (a: number, b: number) => boolean) {
    this.#entries = new Int32Array(capacity);
    this.#isBefore = isBefore;
  }

  /** The first entry. The heap must not be empty. */
  get first(): number {
    return this.#entries[0]!;
  }

  add(entry: number): void {
    const entries = this.#entries;
    let at = this.size++;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      if (!this.#isBefore(entry, entries[above]!)) break;
      entries[at] = entries[above]!;
      at = above;
    }
    entries[at] = entry;
  }

  /** Removes the first entry and returns it. The heap must not be empty. */
  removeFirst(): number {
    const { first } = this;
    this.size -= 1;
    this.#entries[0] = this.#entries[this.size]!;
    this.sinkFirst();
    return first;
  }

  /** Restores the order after the first entry has come to stand for something later. */
  sinkFirst(): void {
    const entries = this.#entries;
    const entry = entries[0]!;
    let at = 0;
    for (let child = 1; child < this.size; child = 2 * at + 1) {
      const right = child + 1;
      if (right < this.size && this.#isBefore(entries[right]!, entries[child]!)) child = right;
      if (!this.#isBefore(entries[child]!, entry)) break;
      entries[at] = entries[child]!;
      at = child;
    }
    entries[at] = entry;
  }
}
