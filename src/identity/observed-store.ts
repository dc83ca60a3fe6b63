// A store that counts the writes going through it, so that whoever remembers what he read knows when to read again.
// Composition wraps the store once and gives the wrapped one to everybody.
// Invariant: the count has grown before the promise of a write settles.
import type { PoolFigures, Records, Store, WritableRecords } from './store.ts';

/** Counts writes of this process; those of others are not seen. */
export class ObservedStore implements Store {
  readonly read: Records;
  readonly #store: Store;
  #writes = 0;

  constructor(store: Store) {
    this.#store = store;
    this.read = store.read;
  }

  /** How many writes have ended, failed ones included. */
  get writes(): number {
    return this.#writes;
  }

  async write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    try {
      return await this.#store.write(work);
    } finally {
      this.#writes++;
    }
  }

  ping(): Promise<void> {
    return this.#store.ping();
  }

  async now(): Promise<number | null> {
    return (await this.#store.now?.()) ?? null;
  }

  pools(): readonly PoolFigures[] {
    return this.#store.pools?.() ?? [];
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** The count of writes of an observed store; NaN, equal to nothing, of any other. */
export function writesOf(store: Store): number {
  return store instanceof ObservedStore ? store.writes : Number.NaN;
}
