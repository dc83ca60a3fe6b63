// A store decorator, for stores that change how another one reads or writes.
import type { PoolFigures, Records, Store } from './store.ts';

/** The records with some of them replaced; the others are inherited, not copied. */
export function withRecords<R extends Records>(records: R, replaced: Partial<R>): R {
  return Object.create(records, Object.getOwnPropertyDescriptors(replaced)) as R;
}

/** Forwards everything but what the constructor replaces. */
export class ForwardingStore implements Store {
  readonly read: Store['read'];
  readonly write: Store['write'];
  protected readonly inner: Store;

  constructor(
    inner: Store,
    {
      read = inner.read,
      write = (work) => inner.write(work),
    }: Partial<Pick<Store, 'read' | 'write'>>,
  ) {
    this.inner = inner;
    this.read = read;
    this.write = write;
  }

  get writes(): number {
    return this.inner.writes;
  }

  onWrite(listener: () => void): () => void {
    return this.inner.onWrite(listener);
  }

  ping(): Promise<void> {
    return this.inner.ping();
  }

  now(): Promise<number | null> {
    return this.inner.now();
  }

  pools(): readonly PoolFigures[] {
    return this.inner.pools();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
