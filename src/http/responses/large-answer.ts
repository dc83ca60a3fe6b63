// Sends a large answer piece by piece. Putting megabytes together and handing them to the kernel takes milliseconds, so each
// piece waits for a turn of the event loop as a request does (admission/turns.ts), and other requests come in between.
import type { ServerResponse } from 'node:http';
import type { AnswerPiece } from '../services.ts';

/** Bytes of one piece: copied in well under a millisecond. */
export const PIECE_BYTES = 512 * 1024;

/**
 * Sends all pieces and ends the response; stops where the connection is gone. Every turn writes one piece into memory, also
 * while the client reads nothing, so that a slow client holds the bytes of its answer and not the documents they come from.
 * @param response with its headers written, the content length included
 * @param body of which a piece that writes itself is at most about `PIECE_BYTES` long
 * @param enter calls back in a turn that has time for a piece
 */
export function sendInPieces(
  response: ServerResponse,
  body: readonly AnswerPiece[],
  enter: (turn: () => void) => void,
): void {
  const chunks = writtenChunks(body);
  const ready: Uint8Array[] = [];
  let isComplete = false;
  let isBlocked = false;
  const turn = () => {
    if (response.destroyed) return;
    const chunk = chunks.next();
    if (chunk.done !== true) ready.push(chunk.value);
    isComplete = chunk.done === true;
    if (!isBlocked) {
      const next = ready.shift();
      if (next === undefined) {
        response.end();
        return;
      }
      isBlocked = !response.write(next);
      if (isBlocked) response.once('drain', resume);
    }
    if (!(isBlocked && isComplete)) enter(turn);
  };
  const resume = () => {
    isBlocked = false;
    if (isComplete) enter(turn);
  };
  enter(turn);
}

/** The bytes of the pieces, `PIECE_BYTES` at most where a piece is bytes already. */
function* writtenChunks(body: readonly AnswerPiece[]): Generator<Uint8Array> {
  for (const piece of body) {
    if (!(piece instanceof Uint8Array)) {
      const bytes = Buffer.allocUnsafeSlow(piece.length);
      piece.writeTo(bytes, 0);
      yield bytes;
      continue;
    }
    for (let at = 0; at < piece.length; at += PIECE_BYTES)
      yield piece.subarray(at, at + PIECE_BYTES);
  }
}
