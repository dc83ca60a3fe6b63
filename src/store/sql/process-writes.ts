// The writes of all threads of a process to one store. Each thread has connections of its own; what they
// share is a count of the writes that have ended, by which caches of stored data are known to be fresh,
// and a queue in which threads wait for their turn, so that none of them waits for long (a lock of
// SQLite goes to whoever asks at the right moment).
// Shared memory is touched twice by a transaction, and read once by each look at `ended`.
// Invariant: turns are given in the order in which they were asked for.

/** Places of the shared numbers. */
const NEXT = 0;
const SERVED = 1;
const ENDED = 2;
/** The last ticket of each thread, plus 1. */
const TICKETS = 3;

export class ProcessWrites {
  readonly #numbers: Int32Array;
  readonly #thread: number;
  readonly #listeners = new Set<() => void>();
  /** The count that the listeners know. */
  #told: number;
  #isFollowing = false;

  /**
   * @param memory of `ProcessWrites.memory`, the same in all threads
   * @param thread from 0
   */
  constructor(memory: SharedArrayBuffer = ProcessWrites.memory(1), thread = 0) {
    this.#numbers = new Int32Array(memory);
    this.#thread = thread;
    this.#told = this.ended;
  }

  /** The memory for so many threads. */
  static memory(threads: number): SharedArrayBuffer {
    return new SharedArrayBuffer(4 * (TICKETS + threads));
  }

  /** Threads that share the memory. */
  get threads(): number {
    return this.#numbers.length - TICKETS;
  }

  /** The number of writes that have ended in all threads, including failed ones; it may wrap. */
  get ended(): number {
    return Atomics.load(this.#numbers, ENDED);
  }

  /** Counts writes of this thread, and calls the listeners. */
  end(count: number): void {
    Atomics.add(this.#numbers, ENDED, count);
    Atomics.notify(this.#numbers, ENDED);
    this.#tell();
  }

  /** Calls `listener` whenever `ended` has grown, until the returned function is called. */
  onEnded(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#isShared) void this.#follow();
    return () => this.#listeners.delete(listener);
  }

  /** Waits until no other thread writes. @returns ends the turn */
  async turn(): Promise<() => void> {
    const numbers = this.#numbers;
    const ticket = Atomics.add(numbers, NEXT, 1);
    Atomics.store(numbers, TICKETS + this.#thread, ticket + 1);
    for (;;) {
      const served = Atomics.load(numbers, SERVED);
      if (served === ticket) break;
      await Atomics.waitAsync(numbers, SERVED, served).value;
    }
    let ended = false;
    return () => {
      if (!ended) this.#serveNext();
      ended = true;
    };
  }

  /** Gives back the turn of a thread that has ended, once it would be served. */
  async forget(thread: number): Promise<void> {
    const numbers = this.#numbers;
    const ticket = Atomics.exchange(numbers, TICKETS + thread, 0) - 1;
    if (ticket < 0) return;
    for (;;) {
      const served = Atomics.load(numbers, SERVED);
      if (served > ticket) return;
      if (served === ticket) break;
      await Atomics.waitAsync(numbers, SERVED, served).value;
    }
    this.#serveNext();
  }

  get #isShared(): boolean {
    return this.threads > 1;
  }

  #serveNext(): void {
    Atomics.add(this.#numbers, SERVED, 1);
    Atomics.notify(this.#numbers, SERVED);
  }

  #tell(): void {
    this.#told = this.ended;
    for (const listener of this.#listeners) listener();
  }

  /** Tells the listeners of the writes of other threads, as long as there are listeners. */
  async #follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    while (this.#listeners.size > 0) {
      await Atomics.waitAsync(this.#numbers, ENDED, this.#told).value;
      if (this.ended !== this.#told) this.#tell();
    }
    this.#isFollowing = false;
  }
}
