// FNV-1a: a 32-bit hash that tells requests apart. It has no secret, so a caller can make two
// requests with the same hash; nothing may depend on hashes being different.

/** The hash of nothing. */
export const HASH_START = 0x811c9dc5;
const PRIME = 0x01000193;

export function hashNumber(hash: number, number: number): number {
  return Math.imul(hash ^ number, PRIME);
}

export function hashText(hash: number, text: string): number {
  let result = hash;
  for (let i = 0; i < text.length; i++) result = Math.imul(result ^ text.charCodeAt(i), PRIME);
  return result;
}
