// Bytes of files that were read lately and found sound, over all segments, up to a number of bytes: documents in one cache,
// pages of positions in another.
// Invariant: the bytes are over buffers of their own, so what is cached keeps neither a file nor a segment in memory.
import { type CacheFigures, GenerationCache } from './generation-cache.ts';

/** What an entry costs beside its bytes: the array, its buffer and its place in the map. */
const ENTRY_BYTES = 256;

export class ByteCache {
  readonly #entries: GenerationCache<number, Uint8Array>;
  #keysTaken = 0;

  /** @param bytesMax what all entries together may take; 0 keeps nothing */
  constructor(bytesMax: number) {
    this.#entries = new GenerationCache(bytesMax);
  }

  get figures(): CacheFigures {
    return this.#entries.figures;
  }

  /** The first of `count` keys that nobody else uses. */
  takeKeys(count: number): number {
    const first = this.#keysTaken;
    this.#keysTaken += count;
    return first;
  }

  get(key: number): Uint8Array | undefined {
    return this.#entries.get(key);
  }

  /** Keeps bytes that are over a buffer of their own. */
  keep(key: number, bytes: Uint8Array): void {
    this.#entries.add(key, bytes, bytes.length + ENTRY_BYTES);
  }

  /** Keeps a copy, and answers it; or answers the bytes themselves where they are too many. */
  keepCopy(key: number, bytes: Uint8Array): Uint8Array {
    if (!this.#entries.takes(bytes.length + ENTRY_BYTES)) return bytes;
    const copy = bytes.slice();
    this.keep(key, copy);
    return copy;
  }
}
