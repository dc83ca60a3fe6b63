// Caches what was recently read from files and verified, over all segments, up to a number of
// bytes: one cache for documents, another for pages of positions.
// Invariant: cached bytes have buffers of their own, so the cache keeps neither a file nor a
// segment in memory.
import { type CacheFigures, GenerationCache } from './generation-cache.ts';

/** Estimated overhead of an entry: objects, a buffer and a map entry. */
const ENTRY_BYTES = 400;

export class ByteCache<Value> {
  readonly #entries: GenerationCache<number, Value>;
  #keysTaken = 0;

  /** @param bytesMax maximum size of all entries together; 0 disables the cache */
  constructor(bytesMax: number) {
    this.#entries = new GenerationCache(bytesMax);
  }

  get figures(): CacheFigures {
    return this.#entries.figures;
  }

  /** Reserves `count` unique keys and returns the first. */
  takeKeys(count: number): number {
    const first = this.#keysTaken;
    this.#keysTaken += count;
    return first;
  }

  get(key: number): Value | undefined {
    return this.#entries.get(key);
  }

  /** @param bytes size of the value's buffers */
  add(key: number, value: Value, bytes: number): void {
    this.#entries.add(key, value, bytes + ENTRY_BYTES);
  }
}
