// Sends a large response piece by piece. Assembling megabytes and passing them to the kernel takes
// milliseconds, so each piece waits for a turn of the event loop (admission/turns.ts), and other
// requests run in between.
import type { ServerResponse } from 'node:http';
import type { AnswerPiece } from '../../identity/searching/search.ts';

/** Bytes of one piece: copied in well under a millisecond. */
export const PIECE_BYTES = 512 * 1024;

/**
 * Sends all pieces and ends the response; stops if the connection closes. Each turn renders one
 * piece, even while the client reads nothing, so that a slow client holds the bytes of its response
 * and not the documents they come from.
 * @param response with its headers written, including the content length
 * @param body pieces; one that writes itself must be at most about `PIECE_BYTES` long
 * @param enter calls `turn` in a turn of the event loop that has time for a piece
 */
export function sendInPieces(
  response: ServerResponse,
  body: readonly AnswerPiece[],
  enter: (turn: () => void) => void,
): void {
  const chunks = renderedChunks(body);
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

/** Renders the pieces and releases them, and splits pieces of bytes into at most `PIECE_BYTES`. */
function* renderedChunks(body: readonly AnswerPiece[]): Generator<Uint8Array> {
  for (const piece of body) {
    if (!(piece instanceof Uint8Array)) {
      const bytes = Buffer.allocUnsafeSlow(piece.length);
      piece.writeTo(bytes, 0);
      piece.release?.();
      yield bytes;
      continue;
    }
    for (let at = 0; at < piece.length; at += PIECE_BYTES)
      yield piece.subarray(at, at + PIECE_BYTES);
  }
}
