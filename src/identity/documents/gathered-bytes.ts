// Bytes that come in pieces, put together. A piece by itself takes some 200 bytes of memory beside its own, so that a body
// sent a byte a piece would take 200 times what it is counted as; pieces are therefore copied into one buffer that doubles.
// Invariant: at most twice the bytes gathered are kept.

const NOTHING = new Uint8Array(0);
const LEAST_CAPACITY = 1024;

export class GatheredBytes {
  /** Of what was gathered; the rest of the buffer is room. */
  length = 0;
  #buffer: Uint8Array = NOTHING;

  push(piece: Uint8Array): void {
    if (piece.length === 0) return;
    if (this.length === 0) {
      // Mostly the only one, which is not copied.
      this.#buffer = piece;
    } else {
      const needed = this.length + piece.length;
      if (needed > this.#buffer.length) this.#grow(needed);
      this.#buffer.set(piece, this.length);
    }
    this.length += piece.length;
  }

  /** Hands the bytes over; nothing is kept. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#buffer = NOTHING;
    this.length = 0;
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, 2 * this.length, LEAST_CAPACITY));
    larger.set(this.#buffer.subarray(0, this.length));
    this.#buffer = larger;
  }
}
