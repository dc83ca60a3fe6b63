// The writes of a store: one transaction after another, counted.
// Invariant: the count has grown, and its listeners have run, before the promise of a write settles.
import { ServiceError } from '../errors.ts';

export class WriteQueue {
  readonly #waitMs: number;
  readonly #listeners: (() => void)[] = [];
  /** Settles after the last queued transaction. */
  #last: Promise<unknown> = Promise.resolve();
  #ended = 0;
  #closed = false;

  /** @param waitMs how long a transaction may wait for earlier ones */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** The number of transactions that have ended, including failed ones. */
  get ended(): number {
    return this.#ended;
  }

  /** Calls `listener` whenever `ended` has grown. */
  onEnded(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Runs a transaction after all earlier ones.
   * @throws ServiceError `unavailable` if it had to wait for too long, or after `close`
   */
  run<T>(transaction: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#waitMs;
    const result = this.#last.then(() => this.#start(transaction, until));
    this.#last = result.catch(() => {});
    return result;
  }

  /** Rejects all further transactions. Resolves when the current one has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }

  async #start<T>(transaction: () => Promise<T>, until: number): Promise<T> {
    if (this.#closed) throw new ServiceError('unavailable', 'The store is closed.');
    // While a database is down each write takes time to fail; queued ones must not wait for the
    // sum.
    if (performance.now() > until) {
      throw new ServiceError('unavailable', 'Too many writes wait for the store.', {
        retryAfterSeconds: 1,
      });
    }
    try {
      return await transaction();
    } finally {
      this.#ended += 1;
      for (const listener of this.#listeners) listener();
    }
  }
}
