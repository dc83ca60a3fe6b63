// Pages of sections that stay in their files, as far as they were read lately and found sound, over all segments.
import { GenerationCache } from './generation-cache.ts';

/** What an entry costs beside its bytes: the array, its buffer and its place in the map. */
const ENTRY_BYTES = 256;

export class PageCache {
  readonly #pages: GenerationCache<number, Uint8Array>;
  #keysTaken = 0;

  /** @param bytesMax what all pages together may take; 0 keeps nothing */
  constructor(bytesMax: number) {
    this.#pages = new GenerationCache(bytesMax);
  }

  /** The first of `count` keys that nobody else uses. */
  takeKeys(count: number): number {
    const first = this.#keysTaken;
    this.#keysTaken += count;
    return first;
  }

  get(key: number): Uint8Array | undefined {
    return this.#pages.get(key);
  }

  /** Keeps bytes that are over a buffer of their own. */
  keep(key: number, bytes: Uint8Array): void {
    this.#pages.add(key, bytes, bytes.length + ENTRY_BYTES);
  }
}
