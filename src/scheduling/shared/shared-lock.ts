// A lock in memory that the threads of a process share, held for less than a microsecond at a time.
// A thread may be terminated while it holds it, so the word names the holder: another takes it over.
// Invariant: one thread at a time is between `acquire` and `release`.

/** The low bits of the word: number of the holder + 1. The rest tells one holding from the next. */
const HOLDER_BITS = 8;
const HOLDER_MASK = (1 << HOLDER_BITS) - 1;
/** Most threads that can share a lock. */
export const THREADS_MAX = HOLDER_MASK - 1;
/** Attempts before a thread sleeps: some microseconds, longer than the lock is held. */
const SPINS = 1_000;
/** Milliseconds of one sleep. */
const SLEEP_MS = 1;
/**
 * A holder that has not moved during so many sleeps was terminated. Sleeps are counted, not time:
 * when the whole process is stopped for a while, no sleep passes.
 */
const SLEEPS_MAX = 2_000;

export class SharedLock {
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #self: number;
  #holding = 0;

  /** @param index of the word, 0 at first @param thread number of the calling thread, from 0 */
  constructor(words: Int32Array, index: number, thread: number) {
    if (thread >= THREADS_MAX) throw new Error(`At most ${THREADS_MAX} threads share a lock`);
    this.#words = words;
    this.#index = index;
    this.#self = thread + 1;
  }

  /**
   * Waits for the lock. May be called on the main thread, which Node allows to wait.
   * @param ended a thread that has ended: the lock is taken from it at once
   * @returns true if it was taken over from a thread that ended while it held the lock, so what the
   *   lock protects may be half written
   */
  acquire(ended = -1): boolean {
    this.#holding = ((this.#holding + (1 << HOLDER_BITS)) & ~HOLDER_MASK) | this.#self;
    if (this.#exchange(0) === 0) return false;
    return this.#wait(ended);
  }

  release(): void {
    Atomics.compareExchange(this.#words, this.#index, this.#holding, 0);
  }

  /** Writes this holder if the word is `expected`. @returns the word before */
  #exchange(expected: number): number {
    return Atomics.compareExchange(this.#words, this.#index, expected, this.#holding);
  }

  #wait(ended: number): boolean {
    let stuck = 0;
    let sleeps = 0;
    for (let tries = 1; ; tries++) {
      const word = this.#exchange(0);
      if (word === 0) return false;
      const isEnded = (word & HOLDER_MASK) === ended + 1;
      if (isEnded || sleeps > SLEEPS_MAX) {
        if (this.#exchange(word) === word) return true;
        sleeps = 0;
      } else if (tries > SPINS) {
        sleeps = word === stuck ? sleeps + 1 : 0;
        stuck = word;
        Atomics.wait(this.#words, this.#index, word, SLEEP_MS);
      }
    }
  }
}
