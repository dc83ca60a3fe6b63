// The buffers that answers are put together in, used again: fresh memory of a megabyte costs more than filling
// it, since the kernel clears each page when it is first touched.
// Invariant: a buffer comes back only when nobody reads it any more, and what is sent of it was written for that answer.

import type { AnswerPiece } from '../services.ts';

/** Bytes of the largest answer that is joined; larger ones are sent in pieces. */
export const BUFFER_BYTES = 1 * 2 ** 20;
/** More answers than this at a time take fresh memory. */
const KEPT_MAX = 8;

const kept: Buffer[] = [];

/** An answer's bytes in one buffer. */
export interface AnswerBuffer {
  readonly bytes: Buffer;
  /** Call when the bytes have left, or are copied; not when that is unsure. */
  giveBack(): void;
}

/** Joins the pieces of an answer, `BUFFER_BYTES` at most. */
export function joinPieces(pieces: readonly AnswerPiece[]): AnswerBuffer {
  const buffer = kept.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let at = 0;
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) buffer.set(piece, at);
    else piece.writeTo(buffer, at);
    at += piece.length;
  }
  return {
    bytes: buffer.subarray(0, at),
    giveBack() {
      if (kept.length < KEPT_MAX) kept.push(buffer);
    },
  };
}
