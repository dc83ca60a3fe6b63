// Sources that were read lately and found sound, over all segments, up to a number of bytes.
// Invariant: the bytes are copies of their own, so a cached source keeps neither a file nor a segment in memory.
import { type CacheFigures, GenerationCache } from './generation-cache.ts';

/** What an entry costs beside its bytes: the array, its buffer and its place in the map. */
const ENTRY_BYTES = 256;

export class SourceCache {
  readonly #sources: GenerationCache<number, Uint8Array>;
  #keysTaken = 0;

  /** @param bytesMax what all entries together may take; 0 keeps nothing */
  constructor(bytesMax: number) {
    this.#sources = new GenerationCache(bytesMax);
  }

  /** The first of `count` keys that nobody else uses. */
  takeKeys(count: number): number {
    const first = this.#keysTaken;
    this.#keysTaken += count;
    return first;
  }

  get figures(): CacheFigures {
    return this.#sources.figures;
  }

  get(key: number): Uint8Array | undefined {
    return this.#sources.get(key);
  }

  /** Keeps a copy, and answers it; or answers the bytes themselves where they are too many. */
  keep(key: number, bytes: Uint8Array): Uint8Array {
    const weight = bytes.length + ENTRY_BYTES;
    if (!this.#sources.takes(weight)) return bytes;
    const copy = bytes.slice();
    this.#sources.add(key, copy, weight);
    return copy;
  }
}
