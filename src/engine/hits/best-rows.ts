// Candidates for the best rows of one segment by score. Rows are appended in ascending order; rows
// below the minimum competitive score of all segments (score-collector.ts) are removed later, and
// the rest is sorted lazily by a heap when hits are taken. Plain arrays: most lists are short, and a
// typed array lives outside of V8's heap, whose size says when to collect garbage.
// Invariant: of the rows that tie with that minimum, the first ones are kept.

export class BestRows {
  /** Number of rows; after `startTaking`, of rows not taken yet. */
  count = 0;
  readonly #scores: number[] = [];
  readonly #rows: number[] = [];
  /** After `startTaking`: a heap of indexes into the list, whose root is the best. */
  readonly #heap: number[] = [];

  add(row: number, score: number): void {
    this.#scores[this.count] = score;
    this.#rows[this.count] = row;
    this.count += 1;
  }

  /**
   * Removes rows that score less than `least`, and rows that tie with it beyond the first `size`.
   */
  keep(least: number, size: number): void {
    const scores = this.#scores;
    const rows = this.#rows;
    let room = size;
    for (let at = 0; at < this.count; at++) if (scores[at]! > least) room -= 1;
    let count = 0;
    for (let at = 0; at < this.count; at++) {
      const score = scores[at]!;
      if (score < least || (score === least && room-- <= 0)) continue;
      scores[count] = score;
      rows[count] = rows[at]!;
      count += 1;
    }
    this.count = count;
  }

  /** Starts taking rows, best first. Rows may be added again once all have been taken. */
  startTaking(): void {
    for (let at = 0; at < this.count; at++) this.#heap[at] = at;
    for (let at = (this.count >>> 1) - 1; at >= 0; at--) this.#siftDown(at);
  }

  /** Removes the best row and returns its index in the list. Call at most `count` times. */
  take(): number {
    const best = this.#heap[0]!;
    this.count -= 1;
    this.#heap[0] = this.#heap[this.count]!;
    this.#siftDown(0);
    return best;
  }

  row(index: number): number {
    return this.#rows[index]!;
  }

  score(index: number): number {
    return this.#scores[index]!;
  }

  #siftDown(from: number): void {
    const heap = this.#heap;
    const entry = heap[from]!;
    let at = from;
    for (let child = 2 * at + 1; child < this.count; child = 2 * at + 1) {
      if (child + 1 < this.count && this.#isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (this.#isBefore(entry, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = entry;
  }

  #isBefore(a: number, b: number): boolean {
    const left = this.#scores[a]!;
    const right = this.#scores[b]!;
    return left === right ? a < b : left > right;
  }
}
