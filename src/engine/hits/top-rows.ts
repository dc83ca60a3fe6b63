// The best rows of one segment by their sort places (see SortColumn), then by row.
import { EntryHeap } from '../fields/entry-heap.ts';

export class TopRows {
  count = 0;
  /** By entry: one place per sort key. */
  readonly #places: Float64Array;
  readonly #rows: Int32Array;
  readonly #capacity: number;
  readonly #keys: number;
  /** The worst entry first. */
  readonly #worst: EntryHeap;
  /** The best entry first; filled by `startTaking`. */
  readonly #best: EntryHeap;

  constructor(capacity: number, keys: number) {
    this.#capacity = capacity;
    this.#keys = keys;
    this.#places = new Float64Array(capacity * keys);
    this.#rows = new Int32Array(capacity);
    this.#worst = new EntryHeap(capacity, (a, b) => this.#compare(a, b) > 0);
    this.#best = new EntryHeap(capacity, (a, b) => this.#compare(a, b) < 0);
  }

  /** Keeps a row if it is among the best. Rows must come in ascending order. */
  offer(row: number, places: Float64Array): void {
    if (this.count < this.#capacity) {
      const entry = this.count++;
      this.#set(entry, row, places);
      this.#worst.add(entry);
      return;
    }
    if (this.#capacity === 0) return;
    const worst = this.#worst.first;
    // A row that ties with the worst comes later, so it loses.
    if (this.#compareWith(worst, places) <= 0) return;
    this.#set(worst, row, places);
    this.#worst.sinkFirst();
  }

  /** Ends `offer`: entries can be taken. */
  startTaking(): void {
    for (let entry = 0; entry < this.count; entry++) this.#best.add(entry);
  }

  /** Removes the best entry and returns it. Call at most `count` times, after `startTaking`. */
  take(): number {
    return this.#best.removeFirst();
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
}
