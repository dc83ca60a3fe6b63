// The best rows of one segment by their sort places (see SortColumn), then by row: a heap whose
// root is the worst.
export class TopRows {
  count = 0;
  /** By entry: one place per sort key. */
  readonly #places: Float64Array;
  readonly #rows: Int32Array;
  readonly #heap: Int32Array;
  readonly #capacity: number;
  readonly #keys: number;
  /** Entries not taken yet. */
  #remaining = 0;

  constructor(capacity: number, keys: number) {
    this.#capacity = capacity;
    this.#keys = keys;
    this.#places = new Float64Array(capacity * keys);
    this.#rows = new Int32Array(capacity);
    this.#heap = new Int32Array(capacity);
  }

  /** Keeps a row if it is among the best. Rows must come in ascending order. */
  offer(row: number, places: Float64Array): void {
    if (this.count < this.#capacity) {
      const entry = this.count++;
      this.#set(entry, row, places);
      this.#siftUp(entry);
      return;
    }
    if (this.#capacity === 0) return;
    const worst = this.#heap[0]!;
    // A row that ties with the worst comes later, so it loses.
    if (this.#compareWith(worst, places) <= 0) return;
    this.#set(worst, row, places);
    this.#siftDown();
  }

  /** Turns the heap around, so that its root is the best and entries are taken best first. */
  startTaking(): void {
    this.#remaining = this.count;
    for (let at = (this.#remaining >>> 1) - 1; at >= 0; at--) this.#siftDownBest(at);
  }

  /** Removes the best entry and returns it. Call at most `count` times, after `startTaking`. */
  take(): number {
    const heap = this.#heap;
    const best = heap[0]!;
    this.#remaining -= 1;
    heap[0] = heap[this.#remaining]!;
    this.#siftDownBest(0);
    return best;
  }

  row(entry: number): number {
    return this.#rows[entry]!;
  }

  place(entry: number, key: number): number {
    return this.#places[entry * this.#keys + key]!;
  }

  #set(entry: number, row: number, places: Float64Array): void {
    this.#rows[entry] = row;
    this.#places.set(places, entry * this.#keys);
  }

  #compareWith(entry: number, places: Float64Array): number {
    const from = entry * this.#keys;
    for (let key = 0; key < this.#keys; key++) {
      const mine = this.#places[from + key]!;
      const other = places[key]!;
      if (mine !== other) return mine < other ? -1 : 1;
    }
    return 0;
  }

  #compare(a: number, b: number): number {
    const keys = this.#keys;
    for (let key = 0; key < keys; key++) {
      const left = this.#places[a * keys + key]!;
      const right = this.#places[b * keys + key]!;
      if (left !== right) return left < right ? -1 : 1;
    }
    return this.#rows[a]! - this.#rows[b]!;
  }

  #siftUp(entry: number): void {
    const heap = this.#heap;
    let at = entry;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      if (this.#compare(heap[above]!, entry) >= 0) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = entry;
  }

  #siftDownBest(from: number): void {
    const heap = this.#heap;
    const length = this.#remaining;
    const entry = heap[from]!;
    let at = from;
    for (let child = 2 * at + 1; child < length; child = 2 * at + 1) {
      const right = child + 1;
      if (right < length && this.#compare(heap[right]!, heap[child]!) < 0) child = right;
      if (this.#compare(heap[child]!, entry) >= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = entry;
  }

  #siftDown(): void {
    const heap = this.#heap;
    const entry = heap[0]!;
    let at = 0;
    for (let child = 1; child < this.count; child = 2 * at + 1) {
      const right = child + 1;
      if (right < this.count && this.#compare(heap[right]!, heap[child]!) > 0) child = right;
      if (this.#compare(heap[child]!, entry) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = entry;
  }
}
