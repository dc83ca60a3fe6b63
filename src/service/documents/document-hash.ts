// The hash by which the store detects changed documents. It covers the members as received, so
// equal text is equal content and nothing has to be parsed.
import { hash } from 'node:crypto';

/** Bytes of SHA-256 kept: a collision, accidental or deliberate, takes 2^64 attempts. */
const HASH_BYTES = 16;

/** The hash of a document's two stored parts. */
export function documentHash(root: Uint8Array, nested: Uint8Array): Uint8Array {
  return hash('sha256', concatenate(root.subarray(1), nested), 'buffer').subarray(0, HASH_BYTES);
}

/** Concatenates two arrays, without copying when they are adjacent in one buffer. */
function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const end = first.byteOffset + first.length;
  if (first.buffer === second.buffer && end === second.byteOffset) {
    return new Uint8Array(first.buffer, first.byteOffset, first.length + second.length);
  }
  return Buffer.concat([first, second]);
}
