// Sources that were read lately and found sound, over all segments, up to a number of bytes. Two generations: what is
// asked for moves to the young one; when that is half of the room, it becomes the old one and the old one goes.
// Invariant: the bytes are copies of their own, so a cached source keeps neither a file nor a segment in memory.

/** What an entry costs beside its bytes: the array, its buffer and its place in the map. */
const ENTRY_BYTES = 256;

export class SourceCache {
  readonly #generationBytes: number;
  #young = new Map<number, Uint8Array>();
  #old = new Map<number, Uint8Array>();
  #youngBytes = 0;
  #segments = 0;

  /** @param bytesMax what all entries together may take; 0 keeps nothing */
  constructor(bytesMax: number) {
    this.#generationBytes = bytesMax / 2;
  }

  /** The first of `count` keys that nobody else uses. */
  takeKeys(count: number): number {
    const first = this.#segments;
    this.#segments += count;
    return first;
  }

  get(key: number): Uint8Array | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#add(key, old);
    return old;
  }

  /** Keeps a copy, and answers it. */
  keep(key: number, bytes: Uint8Array): Uint8Array {
    if (bytes.length + ENTRY_BYTES > this.#generationBytes) return bytes;
    const copy = bytes.slice();
    this.#add(key, copy);
    return copy;
  }

  #add(key: number, bytes: Uint8Array): void {
    this.#youngBytes += bytes.length + ENTRY_BYTES;
    if (this.#youngBytes > this.#generationBytes) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = bytes.length + ENTRY_BYTES;
    }
    this.#young.set(key, bytes);
  }
}
