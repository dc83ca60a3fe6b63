// Sends a large answer piece by piece, each in a turn of the event loop: the kernel takes megabytes at a time, and other
// requests would wait for as long as it copies them.
import type { ServerResponse } from 'node:http';

/** Bytes of one piece: the kernel copies it in well under a millisecond. */
export const PIECE_BYTES = 512 * 1024;

/**
 * Sends all bytes and ends the response; stops where the connection is gone.
 * @param response with its headers written, the content length included
 */
export function sendInPieces(response: ServerResponse, bytes: Uint8Array): void {
  let at = 0;
  const next = () => {
    if (response.destroyed) return;
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    at += piece.length;
    if (at === bytes.length) response.end(piece);
    else if (response.write(piece)) setImmediate(next);
    else response.once('drain', () => setImmediate(next));
  };
  next();
}
