// What the threads of a process know of each other: when each last ran, and how many connections it has,
// in memory that all of them share.
// Invariant: a thread changes the count of another only for a connection that it hands over, and only
// while that thread accepts connections.

/** The count of a thread that accepts no connections. */
const CLOSED = -1;
/** How often a thread says that it runs, in milliseconds. */
export const BEAT_MS = 500;
/** A thread that has not run for so long is given no connections. */
const SILENT_MS = 3 * BEAT_MS;

export class ThreadTable {
  readonly #connections: Int32Array;
  readonly #ranAt: Int32Array;
  readonly #own: number;

  /**
   * @param memory of `memory`
   * @param own the number of this thread, from 0: the main thread
   */
  constructor(memory: SharedArrayBuffer, own: number) {
    const threads = memory.byteLength / (2 * Int32Array.BYTES_PER_ELEMENT);
    this.#connections = new Int32Array(memory, 0, threads);
    this.#ranAt = new Int32Array(memory, threads * Int32Array.BYTES_PER_ELEMENT, threads);
    this.#own = own;
  }

  /** Memory for the threads of a process, none of which accepts connections yet. */
  static memory(threads: number): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(2 * threads * Int32Array.BYTES_PER_ELEMENT);
    new Int32Array(memory, 0, threads).fill(CLOSED);
    return memory;
  }

  get own(): number {
    return this.#own;
  }

  /** This thread runs now, and says so again until the timer is cleared. */
  beat(): NodeJS.Timeout {
    this.ran(this.#own);
    return setInterval(() => this.ran(this.#own), BEAT_MS).unref();
  }

  /** A thread runs now, or begins. */
  ran(thread: number): void {
    Atomics.store(this.#ranAt, thread, milliseconds());
  }

  /** Milliseconds since a thread last said that it runs. */
  silentMs(thread: number): number {
    return (milliseconds() - Atomics.load(this.#ranAt, thread)) | 0;
  }

  /** This thread accepts connections from now on. */
  open(): void {
    Atomics.store(this.#connections, this.#own, 0);
  }

  /** A thread accepts no more: this one, or one that has ended. */
  close(thread: number = this.#own): void {
    Atomics.store(this.#connections, thread, CLOSED);
  }

  /** Open connections of a thread; -1: it accepts none. */
  connections(thread: number): number {
    return Atomics.load(this.#connections, thread);
  }

  /**
   * Counts a new connection, for the thread that has the fewest; for this one if none has fewer.
   * @returns the number of that thread
   */
  addConnection(): number {
    for (;;) {
      let [least, fewest] = [this.#own, this.connections(this.#own)];
      for (let thread = 0; thread < this.#connections.length; thread += 1) {
        const count = this.connections(thread);
        if (count < fewest && this.#takes(thread, count)) [least, fewest] = [thread, count];
      }
      if (fewest === CLOSED) return this.#own;
      if (Atomics.compareExchange(this.#connections, least, fewest, fewest + 1) === fewest) {
        return least;
      }
    }
  }

  /** A connection that was counted for another thread stays with this one. */
  keepConnection(thread: number): void {
    this.#add(thread, -1);
    this.#add(this.#own, 1);
  }

  /** A connection of this thread has ended. */
  removeConnection(): void {
    this.#add(this.#own, -1);
  }

  /** True if a connection reaches the thread soon: the main thread passes it on. */
  #takes(thread: number, count: number): boolean {
    const isSilent = (one: number) => one !== this.#own && this.silentMs(one) > SILENT_MS;
    return count !== CLOSED && !isSilent(thread) && !isSilent(0);
  }

  #add(thread: number, by: number): void {
    for (;;) {
      const count = this.connections(thread);
      // It accepts no more, or anew since the connection was counted.
      if (count === CLOSED || count + by < 0) return;
      if (Atomics.compareExchange(this.#connections, thread, count, count + by) === count) return;
    }
  }
}

/** Of a clock that all threads share and nobody sets, as an Int32 that starts again at the other end. */
function milliseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return (seconds * 1_000 + Math.floor(nanoseconds / 1e6)) | 0;
}
