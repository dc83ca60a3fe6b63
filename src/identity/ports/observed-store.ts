// A store that counts the writes going through it, so that whoever remembers what he read knows when to read again.
// Composition wraps the store once and gives the wrapped one to everybody.
// Invariant: the count has grown before the promise of a write settles.
import { ForwardingStore } from './forwarding-store.ts';
import type { Store, WritableRecords } from './store.ts';

/** Counts writes of this process; those of others are not seen. */
export class ObservedStore extends ForwardingStore {
  #writes = 0;

  constructor(store: Store) {
    super(store, store.read);
  }

  /** How many writes have ended, failed ones included. */
  get writes(): number {
    return this.#writes;
  }

  override async write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T> {
    try {
      return await this.inner.write(work);
    } finally {
      this.#writes++;
    }
  }
}

/** The count of writes of an observed store; NaN, equal to nothing, of any other. */
export function writesOf(store: Store): number {
  return store instanceof ObservedStore ? store.writes : Number.NaN;
}
