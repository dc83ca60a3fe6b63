// Virtual time for tests of code with timers: they fire in order without real waiting, so that a
// schedule of minutes runs in milliseconds, deterministically.
// Invariant: before time advances, every promise that can settle has settled.
import { setImmediate as turn } from 'node:timers/promises';
import type { Timers } from '../../src/backends/timers.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

const MINUTE_MS = 60_000;

export class VirtualTime implements Timers {
  #now = 0;
  /** In the order of creation, in which timers of the same instant fire. */
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

  /** Advances time. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await turn();
    for (let at = this.#next(); at <= end; at = this.#next()) {
      this.#now = at;
      await this.#fire();
    }
    this.#now = end;
  }

  /** Advances time until the condition holds, at most by `limitMs`. @returns whether it holds */
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

  /** Advances time until the condition holds. @throws Error after a minute of virtual time */
  async until(holds: () => boolean): Promise<void> {
    if (!(await this.reaches(holds, MINUTE_MS))) throw new Error(`Not reached: ${holds}`);
  }

  /** Advances time until a promise settles. @throws Error after a minute of virtual time */
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

  /** Runs the timers of this instant, and all their immediate consequences. */
  async #fire(): Promise<void> {
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue;
      timer.run();
    }
    await turn();
  }
}
