// Keeps the thread of scans out of SQLite while it is ended. A thread that ends takes the threads that it has
// started with it, at once. In Node 20 that aborts the whole process if one of them is in a call of SQLite's
// drop-in module, which then throws in C++ where nothing catches it.
// Invariant: after `close` has returned true, no work begins and none runs.

const FREE = 0;
const RUNNING = 1;
const CLOSED = 2;

/** One thread that works, and the thread that started it. */
export class ScanGate {
  readonly #state: Int32Array;

  /** @param memory of both threads, from `ScanGate.memory()` */
  constructor(memory: SharedArrayBuffer) {
    this.#state = new Int32Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  }

  /** Runs `work`, one at a time. Does not run it, and never settles, once the gate is closed. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (Atomics.compareExchange(this.#state, 0, FREE, RUNNING) !== FREE) {
      return new Promise(() => {});
    }
    try {
      return await work();
    } finally {
      Atomics.store(this.#state, 0, FREE);
      Atomics.notify(this.#state, 0);
    }
  }

  /**
   * Lets no other work begin, and blocks the caller while one runs.
   * @returns false if it still runs after `waitMs`
   */
  close(waitMs: number): boolean {
    const end = performance.now() + waitMs;
    while (Atomics.compareExchange(this.#state, 0, FREE, CLOSED) === RUNNING) {
      const leftMs = end - performance.now();
      if (leftMs <= 0 || Atomics.wait(this.#state, 0, RUNNING, leftMs) === 'timed-out')
        return false;
    }
    return true;
  }
}
