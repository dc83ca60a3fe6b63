// The hash by which the store detects changed documents. It covers the members as received, so
// equal text is equal content and nothing has to be parsed.
import { hash } from 'node:crypto';

/** Bytes of SHA-256 kept: a collision, accidental or deliberate, takes 2^64 attempts. */
const HASH_BYTES = 16;

/** The hash of a document's two stored parts. */
export function documentHash(root: Uint8Array, nested: Uint8Array): Buffer {
  return hash('sha256', concatenate(root.subarray(1), nested), 'buffer').subarray(0, HASH_BYTES);
}

const SYNCED_BEFORE = Buffer.from('{"synced":"');
/** Length of a `synced` that the service added, with its quotation marks and comma. */
const SYNCED_BYTES = '"synced":"2026-01-01T00:00:00.000Z",'.length;
const COMMA = 0x2c;

/**
 * True if a document has a hash of `documentHash`. That of a document that came without `synced`
 * leaves out the member that the service added.
 */
export function hasHash(root: Uint8Array, nested: Uint8Array, expected: Uint8Array): boolean {
  if (documentHash(root, nested).equals(expected)) return true;
  const before = root.subarray(0, SYNCED_BEFORE.length);
  if (!SYNCED_BEFORE.equals(before) || root[SYNCED_BYTES] !== COMMA) return false;
  return documentHash(root.subarray(SYNCED_BYTES), nested).equals(expected);
}

/** Concatenates two arrays, without copying when they are adjacent in one buffer. */
function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const end = first.byteOffset + first.length;
  if (first.buffer === second.buffer && end === second.byteOffset) {
    return new Uint8Array(first.buffer, first.byteOffset, first.length + second.length);
  }
  return Buffer.concat([first, second]);
}
