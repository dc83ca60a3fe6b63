// Counts of events by key and window of time, in memory that the threads of a process share: a
// set-associative table, so its size is fixed. A key has the rows of one bucket to choose from; a
// new one takes a row that is empty or whose window has ended, else that with the oldest window.
// Each count takes the lock once, for less than a tenth of a microsecond.
// Invariant: the counts that threads get of one key in one window are 1, 2, 3, … without gaps.
import { SharedLock } from './shared-lock.ts';

/** Rows of a bucket. */
const WAYS = 16;
/** Words at the start, one cache line; the first is the lock. */
const WORDS = 16;
/** Bytes of a row: its key, when its window began, and the count. */
const ROW_BYTES = 8 + 8 + 4;

/** Creates the memory of a table, which all threads open. @param keys a power of two, at least 16 */
export function createWindows(keys: number): SharedArrayBuffer {
  return new SharedArrayBuffer(WORDS * 4 + keys * ROW_BYTES);
}

/** The windows of one counter. */
export interface Windows {
  readonly windowMs: number;
  /** Returns when a window begins that an event opens now. */
  beginning(now: number): number;
}

export class WindowTable {
  /** Milliseconds left of the window of the last key that was counted. */
  leftMs = 0;
  readonly #lock: SharedLock;
  readonly #began: Float64Array;
  readonly #keys: Int32Array;
  readonly #counts: Int32Array;
  readonly #buckets: number;
  readonly #clock: { now(): number };
  /** The time of the current call, read inside the lock: a thread with an older one would see the
   * windows of others begin in the future. */
  #now = 0;

  /**
   * @param buffer of createWindows
   * @param thread number of this thread, from 0
   * @param clock in milliseconds, the same in all threads
   */
  constructor(buffer: SharedArrayBuffer, thread: number, clock: { now(): number }) {
    this.#clock = clock;
    const rows = (buffer.byteLength - WORDS * 4) / ROW_BYTES;
    this.#buckets = rows / WAYS;
    this.#lock = new SharedLock(new Int32Array(buffer, 0, WORDS), 0, thread);
    this.#began = new Float64Array(buffer, WORDS * 4, rows);
    this.#keys = new Int32Array(buffer, WORDS * 4 + rows * 8, rows * 2);
    this.#counts = new Int32Array(buffer, WORDS * 4 + rows * 16, rows);
  }

  /**
   * Adds one event of a key. A window that begins after now has ended, too: the clock was set back.
   * @returns the events of its window, including this one
   */
  add(low: number, high: number, windows: Windows): number {
    const { windowMs } = windows;
    this.#lock.acquire();
    try {
      this.#now = this.#clock.now();
      const row = this.#rowOf(low, high, windowMs);
      const count = this.#isOpen(row, windowMs) ? (this.#counts[row] ?? 0) : 0;
      if (count === 0) this.#began[row] = windows.beginning(this.#now);
      this.#counts[row] = count + 1;
      this.leftMs = (this.#began[row] ?? 0) + windowMs - this.#now;
      return count + 1;
    } finally {
      this.#lock.release();
    }
  }

  /** Returns the events of a key in its window; 0 if none is open. */
  read(low: number, high: number, { windowMs }: Windows): number {
    this.#lock.acquire();
    try {
      this.#now = this.#clock.now();
      const row = this.#find(low, high);
      if (row < 0 || !this.#isOpen(row, windowMs)) return 0;
      this.leftMs = (this.#began[row] ?? 0) + windowMs - this.#now;
      return this.#counts[row] ?? 0;
    } finally {
      this.#lock.release();
    }
  }

  /** Frees the lock if a thread that has ended held it. */
  forgetThread(thread: number): void {
    this.#lock.acquire(thread);
    this.#lock.release();
  }

  /** Returns the row of a key, after taking one for it if necessary. */
  #rowOf(low: number, high: number, windowMs: number): number {
    const found = this.#find(low, high);
    if (found >= 0) return found;
    const first = this.#firstOf(low);
    let victim = first;
    for (let row = first; row < first + WAYS; row++) {
      if (!this.#isOpen(row, windowMs)) {
        victim = row;
        break;
      }
      if ((this.#began[row] ?? 0) < (this.#began[victim] ?? 0)) victim = row;
    }
    // Without a count the row is free, if this thread is terminated between two writes.
    this.#counts[victim] = 0;
    this.#keys[2 * victim] = low;
    this.#keys[2 * victim + 1] = high;
    return victim;
  }

  #find(low: number, high: number): number {
    const first = this.#firstOf(low);
    for (let row = first; row < first + WAYS; row++) {
      if (this.#keys[2 * row] === low && this.#keys[2 * row + 1] === high) return row;
    }
    return -1;
  }

  #firstOf(low: number): number {
    return (low & (this.#buckets - 1)) * WAYS;
  }

  #isOpen(row: number, windowMs: number): boolean {
    const age = this.#now - (this.#began[row] ?? 0);
    return (this.#counts[row] ?? 0) > 0 && age >= 0 && age < windowMs;
  }
}
