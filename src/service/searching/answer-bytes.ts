// Joins the pieces of an answer, for callers within this process.
import type { AnswerPiece } from './search.ts';

/** The bytes of all pieces, in order. */
export function answerBytes(pieces: readonly AnswerPiece[]): Uint8Array {
  const bytes = Buffer.alloc(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) bytes.set(piece, at);
    else piece.writeTo(bytes, at);
    at += piece.length;
  }
  return bytes;
}
