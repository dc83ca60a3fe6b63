// The fingerprint by which the store tells a changed document from an equal one. It is taken over the members as
// they came, so equal text is equal content and nothing needs to be parsed.
import { createHash } from 'node:crypto';

/** Bytes kept of SHA-256: two different documents meet by chance, or by effort, once in 2^64 tries. */
const HASH_BYTES = 16;

/** Of a document's two parts as stored. */
export function documentHash(root: Uint8Array, nested: Uint8Array): Uint8Array {
  return createHash('sha256')
    .update(root.subarray(1))
    .update(nested)
    .digest()
    .subarray(0, HASH_BYTES);
}
