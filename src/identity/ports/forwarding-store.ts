// A store around another one, for those that change how it reads or writes and leave the rest to it.
import type { PoolFigures, Records, Store, WritableRecords } from './store.ts';

/** Hands on what has nothing to do with records. */
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
