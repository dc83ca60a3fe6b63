// Joins the pieces of a response in one buffer of a pool.
// Invariant: only bytes written for that response are sent from it.
import type { BufferPool, PooledBuffer } from '../../json/buffer-pool.ts';
import type { AnswerPiece } from '../../service/searching/search.ts';

/**
 * Bytes of the largest response that is joined; larger ones are sent in pieces. A page of 250
 * documents of the common size fits.
 */
export const BUFFER_BYTES = 1.5 * 2 ** 20;

/**
 * Joins the pieces of a response and releases them.
 * @param length the sum of their lengths
 * @returns a buffer of that length; release it only when the bytes are certainly sent or copied
 */
export function joinPieces(
  pool: BufferPool,
  pieces: readonly AnswerPiece[],
  length: number,
): PooledBuffer {
  const { bytes, release } = pool.take(length);
  let at = 0;
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) bytes.set(piece, at);
    else piece.writeTo(bytes, at);
    at += piece.length;
  }
  for (const piece of pieces) if (!(piece instanceof Uint8Array)) piece.release?.();
  return { bytes: bytes.subarray(0, length), release };
}
