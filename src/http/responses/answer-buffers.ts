// A pool of buffers that responses are assembled in: allocating a megabyte costs more than filling
// it, since the kernel clears each page on first use.
// Invariant: a buffer is released only when nothing reads it any more, and only bytes written for
// that response are sent from it.

import type { AnswerPiece } from '../services.ts';

/** Bytes of the largest response that is joined; larger ones are sent in pieces. */
export const BUFFER_BYTES = 1 * 2 ** 20;
/** Most buffers in the pool. */
const FREE_MAX = 8;

const freeBuffers: Buffer[] = [];

/** A response body in one buffer. */
export interface AnswerBuffer {
  readonly bytes: Buffer;
  /** Returns the buffer to the pool; call it only when the bytes are certainly sent or copied. */
  release(): void;
}

/** Joins the pieces of a response, at most `BUFFER_BYTES`. */
export function joinPieces(pieces: readonly AnswerPiece[]): AnswerBuffer {
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let at = 0;
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) buffer.set(piece, at);
    else piece.writeTo(buffer, at);
    at += piece.length;
  }
  return {
    bytes: buffer.subarray(0, at),
    release() {
      if (freeBuffers.length < FREE_MAX) freeBuffers.push(buffer);
    },
  };
}
