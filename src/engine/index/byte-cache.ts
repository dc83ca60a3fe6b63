// Caches recently read and verified bytes of files, over all segments, up to a number of bytes: one
// cache for documents, another for pages of positions.
// Invariant: cached bytes have buffers of their own, so the cache keeps neither a file nor a
// segment in memory.
import { type CacheFigures, GenerationCache } from './generation-cache.ts';

/** Estimated overhead of an entry: the array, its buffer and its map entry. */
const ENTRY_BYTES = 256;

export class ByteCache {
  readonly #entries: GenerationCache<number, Uint8Array>;
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

  get(key: number): Uint8Array | undefined {
    return this.#entries.get(key);
  }

  /** Caches bytes that have a buffer of their own. */
  keep(key: number, bytes: Uint8Array): void {
    this.#entries.add(key, bytes, bytes.length + ENTRY_BYTES);
  }

  /**
   * Caches a copy and returns it; returns the bytes themselves if they are too large to be cached.
   */
  keepCopy(key: number, bytes: Uint8Array): Uint8Array {
    if (!this.#entries.takes(bytes.length + ENTRY_BYTES)) return bytes;
    const copy = bytes.slice();
    this.keep(key, copy);
    return copy;
  }
}
