// Sends a large response piece by piece. Assembling megabytes and passing them to the kernel takes
// milliseconds, so each piece waits for a turn of the event loop (admission/turns.ts), and other
// requests run in between.
import type { ServerResponse } from 'node:http';
import type { BufferPool } from '../../json/buffer-pool.ts';
import type { AnswerPiece } from '../../service/searching/search.ts';
import { joinPieces } from './join-pieces.ts';

/** Bytes of one piece: copied in well under a millisecond. */
export const PIECE_BYTES = 512 * 1024;

/**
 * Sends all pieces and ends the response; stops if the connection closes. Each turn renders one
 * piece, even while the client reads nothing, so that a slow client holds the bytes of its response
 * and not the documents they come from.
 * @param response with its headers written, including the content length
 * @param body pieces; one that writes itself must be at most about `PIECE_BYTES` long
 * @param buffers memory for the pieces that write themselves
 * @param enter calls `turn` in a turn of the event loop that has time for a piece
 */
export function sendInPieces(
  response: ServerResponse,
  body: readonly AnswerPiece[],
  buffers: BufferPool,
  enter: (turn: () => void) => void,
): void {
  const chunks = renderedChunks(body, buffers);
  const ready: Chunk[] = [];
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
      isBlocked = !response.write(next.bytes, (error) => {
        // After an error the socket may still hold the buffer, so it is not reused.
        if (!error) next.release?.();
      });
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

/** What one call writes. */
interface Chunk {
  readonly bytes: Uint8Array;
  /** Lets a later response overwrite the bytes. */
  release?(): void;
}

/** Renders the pieces and releases them, and splits pieces of bytes into at most `PIECE_BYTES`. */
function* renderedChunks(body: readonly AnswerPiece[], buffers: BufferPool): Generator<Chunk> {
  for (const piece of body) {
    if (!(piece instanceof Uint8Array)) {
      yield joinPieces(buffers, [piece], piece.length);
      continue;
    }
    for (let at = 0; at < piece.length; at += PIECE_BYTES)
      yield { bytes: piece.subarray(at, at + PIECE_BYTES) };
  }
}
