// The rows of one segment that may be among the best by score. Rows come in ascending order and are only listed: what
// all segments have taught together tells which are wanted (score-collector.ts), and they are put in order when someone
// asks for the first, as many as are wanted.
// Invariant: of the rows that tie with the least score wanted, those that were listed are the first ones.

/** Rows there is room for at first. */
const ROOM = 256;

export class BestRows {
  /** Rows listed; after `startTaking`, rows not taken yet. */
  count = 0;
  #scores = new Float64Array(ROOM);
  #rows = new Int32Array(ROOM);
  /** After `startTaking`: a heap of places in the list, whose root is the best. */
  #heap = NOTHING;

  add(row: number, score: number): void {
    if (this.count === this.#rows.length) this.#grow();
    this.#scores[this.count] = score;
    this.#rows[this.count] = row;
    this.count += 1;
  }

  /** Forgets rows that score less than `least`, and of those that score just that all but the first, beyond `size`. */
  keep(least: number, size: number): void {
    const scores = this.#scores;
    const rows = this.#rows;
    let room = size;
    for (let at = 0; at < this.count; at++) if (scores[at]! > least) room -= 1;
    let kept = 0;
    for (let at = 0; at < this.count; at++) {
      const score = scores[at]!;
      if (score < least || (score === least && room-- <= 0)) continue;
      scores[kept] = score;
      rows[kept] = rows[at]!;
      kept += 1;
    }
    this.count = kept;
  }

  /** From now on rows are taken, best first; when all have been, others may be added. */
  startTaking(): void {
    if (this.#heap.length < this.count) this.#heap = new Int32Array(this.count);
    for (let at = 0; at < this.count; at++) this.#heap[at] = at;
    for (let at = (this.count >>> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** The place in the list of the next best row; as many times as there are rows. */
  take(): number {
    const best = this.#heap[0]!;
    this.count -= 1;
    this.#heap[0] = this.#heap[this.count]!;
    this.#sink(0);
    return best;
  }

  row(place: number): number {
    return this.#rows[place]!;
  }

  score(place: number): number {
    return this.#scores[place]!;
  }

  #grow(): void {
    const scores = new Float64Array(2 * this.count);
    const rows = new Int32Array(2 * this.count);
    scores.set(this.#scores);
    rows.set(this.#rows);
    this.#scores = scores;
    this.#rows = rows;
  }

  #sink(from: number): void {
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

const NOTHING = new Int32Array(0);
