// Concatenates byte chunks. A chunk object takes some 200 bytes of memory in addition to its
// content, so a body sent byte by byte would need 200 times its size; chunks are therefore copied
// into one buffer that doubles.
// Invariant: the buffer holds at most twice the gathered bytes.

const EMPTY = new Uint8Array(0);
const MIN_CAPACITY = 1024;

export class GatheredBytes {
  /** Number of gathered bytes; the rest of the buffer is unused. */
  length = 0;
  #buffer: Uint8Array = EMPTY;

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.length === 0) {
      // Usually the only chunk, so do not copy it.
      this.#buffer = chunk;
    } else {
      const needed = this.length + chunk.length;
      if (needed > this.#buffer.length) this.#grow(needed);
      this.#buffer.set(chunk, this.length);
    }
    this.length += chunk.length;
  }

  /** Returns the bytes and empties the buffer. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#buffer = EMPTY;
    this.length = 0;
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, 2 * this.length, MIN_CAPACITY));
    larger.set(this.#buffer.subarray(0, this.length));
    this.#buffer = larger;
  }
}
