// Which thread has the request that has waited longest for a resource. Each thread writes the number
// of its oldest waiting request; nothing is written, and no lock taken, while no request waits.
// Invariant: a thread whose requests wait has a number before it looks for room the last time, so
// another that gives something back after that sees it.

/** The word with the last number; that of a thread is at its number + 1, 0 if none waits there. */
const LAST = 0;

/** Creates the memory of an order, which all threads open. */
export function createWaitingOrder(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * (threads + 1));
}

/** What waits in other threads, compared with what waits in this one. */
export type Elsewhere = 'nothing' | 'older' | 'younger';

export class WaitingOrder {
  readonly #words: Int32Array;
  readonly #self: number;

  /** @param buffer of createWaitingOrder @param thread number of this thread, from 0 */
  constructor(buffer: SharedArrayBuffer, thread: number) {
    this.#words = new Int32Array(buffer);
    this.#self = thread + 1;
  }

  /** Returns the number of a request that begins to wait. */
  next(): number {
    // After 2^32 requests the numbers begin anew; 0 is none.
    return (Atomics.add(this.#words, LAST, 1) + 1) | 0 || this.next();
  }

  /** Publishes the number of the oldest request that waits in this thread; 0: none waits. */
  setOldest(number: number): void {
    Atomics.store(this.#words, this.#self, number);
  }

  /** Compares what waits in other threads with this one, in which anything is older than nothing. */
  elsewhere(): Elsewhere {
    const own = Atomics.load(this.#words, this.#self);
    let answer: Elsewhere = 'nothing';
    for (let word = 1; word < this.#words.length; word++) {
      const other = word === this.#self ? 0 : Atomics.load(this.#words, word);
      if (other === 0) continue;
      // A difference, since numbers begin anew.
      if (own === 0 || ((other - own) | 0) < 0) return 'older';
      answer = 'younger';
    }
    return answer;
  }

  /** Removes a thread that has ended. */
  forgetThread(thread: number): void {
    Atomics.store(this.#words, thread + 1, 0);
  }
}
