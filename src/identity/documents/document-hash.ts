// The fingerprint by which the store tells a changed document from an equal one. It is taken over the members as
// they came, so equal text is equal content and nothing needs to be parsed.
import { hash } from 'node:crypto';

/** Bytes kept of SHA-256: two different documents meet by chance, or by effort, once in 2^64 tries. */
const HASH_BYTES = 16;

/** Of a document's two parts as stored. */
export function documentHash(root: Uint8Array, nested: Uint8Array): Uint8Array {
  return hash('sha256', sideBySide(root.subarray(1), nested), 'buffer').subarray(0, HASH_BYTES);
}

/** Both as one; nothing is copied where they already lie so. */
function sideBySide(first: Uint8Array, second: Uint8Array): Uint8Array {
  const end = first.byteOffset + first.length;
  if (first.buffer === second.buffer && end === second.byteOffset) {
    return new Uint8Array(first.buffer, first.byteOffset, first.length + second.length);
  }
  return Buffer.concat([first, second]);
}
