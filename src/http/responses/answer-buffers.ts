// A pool of buffers that responses are assembled in: allocating a megabyte costs more than filling
// it, since the kernel clears each page on first use.
// Invariant: a buffer is released only when nothing reads it any more, and only bytes written for
// that response are sent from it.

import type { AnswerPiece } from '../../identity/searching/search.ts';

/**
 * Bytes of the largest response that is joined; larger ones are sent in pieces. A page of 250
 * documents of the common size fits.
 */
export const BUFFER_BYTES = 1.5 * 2 ** 20;
/** Most buffers in the pool. */
const FREE_MAX = 8;

/** A response body in one buffer. */
export interface AnswerBuffer {
  readonly bytes: Buffer;
  /** Returns the buffer to the pool; call it only when the bytes are certainly sent or copied. */
  release(): void;
}

export class AnswerBuffers {
  readonly #free: Buffer[] = [];

  /** Joins the pieces of a response, at most `BUFFER_BYTES`, and releases them. */
  join(pieces: readonly AnswerPiece[]): AnswerBuffer {
    const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
    let at = 0;
    for (const piece of pieces) {
      if (piece instanceof Uint8Array) buffer.set(piece, at);
      else piece.writeTo(buffer, at);
      at += piece.length;
    }
    for (const piece of pieces) if (!(piece instanceof Uint8Array)) piece.release?.();
    return {
      bytes: buffer.subarray(0, at),
      release: () => {
        if (this.#free.length < FREE_MAX) this.#free.push(buffer);
      },
    };
  }
}
