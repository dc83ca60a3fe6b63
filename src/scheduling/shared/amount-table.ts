// Amounts by key in memory that the threads of a process share: a hash table with open addressing,
// of a fixed size. A row has the amount of each thread in a column of its own, and their sum; so
// what a thread holds that ends is subtracted by leaving out its column.
// All methods but `total` run inside the lock; each takes some tens of nanoseconds. Rows that hold
// nothing stay until the table fills: then the others are copied to the other half of the memory,
// which takes a fraction of a millisecond and becomes valid by one write. So a thread that is
// terminated at any point leaves a valid table. Only `forgetThread` changes rows where they are, which
// takes a tenth of the time: the main thread calls it, with which the process ends.
// Invariant: the sum of a row is that of its columns, whenever the lock is free.
// Invariant: what a thread holds in any row is in its column of the total, too.
import { createSeed, KeyHash } from './key-hash.ts';
import { SharedLock } from './shared-lock.ts';

/** Words at the start, one cache line. */
const [LOCK, HALF, ROWS, THREADS, USED, LIVE, WORDS] = [0, 1, 2, 3, 4, 6, 16];
const NOBODY = -1;

/**
 * Creates the memory of a table, which all threads open.
 * @param keys how many keys can hold something at once
 */
export function createAmounts(keys: number, threads: number): SharedArrayBuffer {
  const rows = 2 ** Math.ceil(Math.log2(2 * Math.max(keys, 8)));
  const halfBytes = rows * 8 + (rows + 1) * (threads + 1) * 8;
  const buffer = new SharedArrayBuffer(WORDS * 4 + 2 * halfBytes);
  const words = new Int32Array(buffer, 0, WORDS);
  words[ROWS] = rows;
  words[THREADS] = threads;
  return buffer;
}

export class AmountTable {
  /** Hashes texts to keys of this table. */
  readonly hash: KeyHash;
  /** The row of the total. */
  readonly totalRow: number;
  readonly #lock: SharedLock;
  /** The words at the start, then the keys of both halves: two words each. */
  readonly #words: Int32Array;
  /** The rows of both halves. */
  readonly #amounts: Float64Array;
  readonly #rows: number;
  /** Numbers in a row: the sum, then a column of each thread. */
  readonly #width: number;
  /** Where the column of this thread is in a row. */
  readonly #own: number;

  /**
   * Opens a table in one thread.
   * @param buffer of createAmounts
   * @param thread number of this thread, from 0
   * @param hash with the same seed in all threads
   */
  constructor(buffer: SharedArrayBuffer, thread: number, hash: KeyHash) {
    const [rows = 0, threads = 0] = new Int32Array(buffer, ROWS * 4, 2);
    if (thread >= threads) throw new Error(`The table has columns for ${threads} threads`);
    this.hash = hash;
    this.totalRow = rows;
    this.#rows = rows;
    this.#width = threads + 1;
    this.#own = thread + 1;
    this.#words = new Int32Array(buffer, 0, WORDS + 4 * rows);
    this.#lock = new SharedLock(this.#words, LOCK, thread);
    this.#amounts = new Float64Array(buffer, this.#words.byteLength);
  }

  /** Opens a new table for a single thread. @param keys how many keys can hold something at once */
  static ofOneThread(keys = 1_024): AmountTable {
    return new AmountTable(createAmounts(keys, 1), 0, new KeyHash(createSeed()));
  }

  /** The total, which other threads may change meanwhile. */
  get total(): number {
    return this.held(this.totalRow);
  }

  /** Begins a critical section; `unlock` must follow, without waiting for anything in between. */
  lock(): void {
    if (this.#lock.acquire()) this.#copyLive(NOBODY);
  }

  unlock(): void {
    this.#lock.release();
  }

  /** @returns the row of a key, valid until `makeRoom`; negative if there is none */
  find(low: number, high: number): number {
    return this.#probe(this.#half, low, high);
  }

  /**
   * Makes room for new rows; rows found before are no longer valid.
   * @returns false if the keys that hold something fill the table
   */
  makeRoom(rows: number): boolean {
    const half = this.#half;
    if (this.#word(LIVE + half) + rows > this.#rows / 2) return false;
    // At most half of the rows hold something, so copying them makes a quarter of the table free.
    if (this.#word(USED + half) + rows > (this.#rows * 3) / 4) this.#copyLive(NOBODY);
    return true;
  }

  /** Adds a row for a key that has none; needs room. */
  addRow(low: number, high: number): number {
    const half = this.#half;
    const row = -1 - this.#probe(half, low, high);
    this.#setKey(half, row, low, high);
    this.#words[USED + half] = this.#word(USED + half) + 1;
    return row;
  }

  /** What all threads hold together; 0 for no row. */
  held(row: number): number {
    return row < 0 ? 0 : this.#amount(this.#at(this.#half, row));
  }

  /** What this thread holds; 0 for no row. */
  own(row: number): number {
    return row < 0 ? 0 : this.#amount(this.#at(this.#half, row) + this.#own);
  }

  /** Adds to what this thread holds. @param amount negative to give back */
  add(row: number, amount: number): void {
    const half = this.#half;
    const at = this.#at(half, row);
    const before = this.#amount(at);
    const after = before + amount;
    this.#amounts[at + this.#own] = this.#amount(at + this.#own) + amount;
    this.#amounts[at] = after;
    if (row === this.totalRow || (before === 0) === (after === 0)) return;
    this.#words[LIVE + half] = this.#word(LIVE + half) + (after === 0 ? -1 : 1);
  }

  /**
   * Gives back all that a thread held that has ended, and the lock. Takes it by itself.
   * @param thread another than this one, which is the main thread
   */
  forgetThread(thread: number): void {
    if (this.#lock.acquire(thread)) this.#copyLive(thread);
    else this.#clearColumn(thread);
    this.#lock.release();
  }

  /** Leaves out the column of one thread, in a table that is valid. Most threads hold little, and of few kinds. */
  #clearColumn(thread: number): void {
    const half = this.#half;
    if (this.#amount(this.#at(half, this.totalRow) + thread + 1) === 0) return;
    for (let row = 0; row <= this.#rows; row++) {
      const at = this.#at(half, row);
      if (this.#amount(at + thread + 1) === 0) continue;
      this.#amounts[at + thread + 1] = 0;
      const sum = this.#sum(half, row, NOBODY);
      this.#amounts[at] = sum;
      if (row !== this.totalRow && sum === 0) {
        this.#words[LIVE + half] = this.#word(LIVE + half) - 1;
      }
    }
  }

  /** Copies the rows that hold something to the other half, without the column of one thread. */
  #copyLive(without: number): void {
    const from = this.#half;
    const to = 1 - from;
    const keys = WORDS + 2 * this.#rows * to;
    this.#words.fill(0, keys, keys + 2 * this.#rows);
    this.#amounts.fill(0, this.#at(to, 0), this.#at(to, this.totalRow + 1));
    let live = 0;
    for (let row = 0; row < this.#rows; row++) {
      if (this.#sum(from, row, without) === 0) continue;
      const key = this.#keyAt(from, row);
      const low = this.#word(key);
      const high = this.#word(key + 1);
      const target = -1 - this.#probe(to, low, high);
      this.#setKey(to, target, low, high);
      this.#copyRow(from, row, target, without);
      live++;
    }
    this.#copyRow(from, this.totalRow, this.totalRow, without);
    this.#words[USED + to] = live;
    this.#words[LIVE + to] = live;
    this.#words[HALF] = to;
  }

  #copyRow(from: number, row: number, target: number, without: number): void {
    const source = this.#at(from, row);
    const at = this.#at(1 - from, target);
    this.#amounts[at] = this.#sum(from, row, without);
    for (let column = 1; column < this.#width; column++) {
      if (column !== without + 1) this.#amounts[at + column] = this.#amount(source + column);
    }
  }

  /** The sum of the columns, without that of one thread. */
  #sum(half: number, row: number, without: number): number {
    const at = this.#at(half, row);
    let sum = 0;
    for (let column = 1; column < this.#width; column++) {
      if (column !== without + 1) sum += this.#amount(at + column);
    }
    return sum;
  }

  /** @returns the row of a key, or -1 - the row to add it in: a quarter of the table is free */
  #probe(half: number, low: number, high: number): number {
    const mask = this.#rows - 1;
    for (let row = low & mask; ; row = (row + 1) & mask) {
      const at = this.#keyAt(half, row);
      const keyLow = this.#word(at);
      const keyHigh = this.#word(at + 1);
      if (keyLow === low && keyHigh === high) return row;
      if (keyLow === 0 && keyHigh === 0) return -1 - row;
    }
  }

  #setKey(half: number, row: number, low: number, high: number): void {
    const at = this.#keyAt(half, row);
    this.#words[at] = low;
    this.#words[at + 1] = high;
  }

  /** 0 or 1: the half that is valid. */
  get #half(): number {
    return this.#word(HALF);
  }

  #keyAt(half: number, row: number): number {
    return WORDS + 2 * (this.#rows * half + row);
  }

  #at(half: number, row: number): number {
    return ((this.#rows + 1) * half + row) * this.#width;
  }

  #word(index: number): number {
    return this.#words[index] ?? 0;
  }

  #amount(index: number): number {
    return this.#amounts[index] ?? 0;
  }
}
