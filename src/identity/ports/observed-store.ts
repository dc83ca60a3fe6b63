// A store that counts the writes going through it, so that caches of stored data know when to
// reload. Composition wraps the store once and passes the wrapped one everywhere.
// Invariant: the count has grown before the promise of a write settles.
import { ForwardingStore } from './forwarding-store.ts';
import type { Store, WritableRecords } from './store.ts';

/** Counts writes of this process, not those of other nodes. */
export class ObservedStore extends ForwardingStore {
  #writes = 0;

  constructor(store: Store) {
    super(store, store.read);
  }

  /** The number of finished writes, including failed ones. */
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

/** The write count of an observed store; NaN, which equals nothing, for any other store. */
export function writesOf(store: Store): number {
  return store instanceof ObservedStore ? store.writes : Number.NaN;
}
