// Virtual time for tests of code that waits: timers fire in order, without real waiting, so that a schedule of minutes runs
// in milliseconds and the same way each time.
// Invariant: between two instants every promise that can settle has settled.
import { setImmediate as turn } from 'node:timers/promises';
import type { Timers } from '../../src/backends/timers.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

const MINUTE_MS = 60_000;

export class VirtualTime implements Timers {
  #now = 0;
  /** In the order they were made, which is the order of those of one instant. */
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets that much time pass. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await turn();
    for (let at = this.#next(); at <= end; at = this.#next()) {
      this.#now = at;
      await this.#fire();
    }
    this.#now = end;
  }

  /** Lets time pass until the condition holds, for at most `limitMs`; whether it does then. */
  async reaches(holds: () => boolean, limitMs: number): Promise<boolean> {
    const end = this.#now + limitMs;
    await turn();
    while (!holds()) {
      const at = this.#next();
      if (at > end) return false;
      this.#now = at;
      await this.#fire();
    }
    return true;
  }

  /** Lets time pass until the condition holds. @throws Error when it does not within a minute of virtual time */
  async until(holds: () => boolean): Promise<void> {
    if (!(await this.reaches(holds, MINUTE_MS))) throw new Error(`Not reached: ${holds}`);
  }

  /** Settles as the promise does, and lets time pass meanwhile. @throws Error as `until` does */
  async settle<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    await this.until(() => settled);
    return promise;
  }

  #next(): number {
    let at = Number.POSITIVE_INFINITY;
    for (const timer of this.#timers) at = Math.min(at, timer.at);
    return at;
  }

  /** Runs the timers of this instant, and everything that follows from them without a wait. */
  async #fire(): Promise<void> {
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue;
      timer.run();
    }
    await turn();
  }
}
