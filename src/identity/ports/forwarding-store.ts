// A store decorator, for stores that change how another one reads or writes.
import type { PoolFigures, Records, Store, WritableRecords } from './store.ts';

/** Forwards everything that does not concern records. */
export abstract class ForwardingStore implements Store {
  readonly read: Records;
  protected readonly inner: Store;

  constructor(inner: Store, read: Records) {
    this.inner = inner;
    this.read = read;
  }

  abstract write<T>(work: (records: WritableRecords) => Promise<T>): Promise<T>;

  ping(): Promise<void> {
    return this.inner.ping();
  }

  async now(): Promise<number | null> {
    return (await this.inner.now?.()) ?? null;
  }

  pools(): readonly PoolFigures[] {
    return this.inner.pools?.() ?? [];
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
