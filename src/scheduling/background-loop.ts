// Work that a server repeats in the background.
// Invariant: nothing of it runs after `stop`, and its waits keep no process alive.
import { waited } from './abort.ts';

export class BackgroundLoop {
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  /** Aborts with `stop`. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Begins work that ends soon after the signal aborts, beside what runs already. */
  run(work: () => Promise<unknown>): void {
    this.#running = Promise.all([this.#running, work()]);
  }

  /**
   * Begins to repeat work.
   * @param firstMs milliseconds until it is done first
   * @param work returns the milliseconds until it is repeated
   * @param onFailed the same for work that threw; not called for what the stop has ended
   */
  repeat(firstMs: number, work: () => Promise<number>, onFailed: (err: unknown) => number): void {
    this.run(async () => {
      for (let waitMs = firstMs; await this.wait(waitMs); ) {
        try {
          waitMs = await work();
        } catch (err) {
          if (this.signal.aborted) return;
          waitMs = onFailed(err);
        }
      }
    });
  }

  /** Ends the work for good, and waits for its end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** @returns false if it was stopped meanwhile */
  wait(ms: number): Promise<boolean> {
    return waited(ms, this.signal);
  }
}
