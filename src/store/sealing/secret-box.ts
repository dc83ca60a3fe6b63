// Sealed secrets of the store: AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce, bound to
// their owner.
// Invariant: a sealed text opens only with the key that sealed it, for the record it was sealed
// for, and unchanged.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** Bytes of a key. */
export const SECRETS_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/**
 * An id of a key that reveals nothing about it: keys are random, so they cannot be guessed from it.
 */
export function secretsKeyId(key: Uint8Array): string {
  return createHmac('sha256', key).update('cardea secrets key').digest('hex').slice(0, 16);
}

/**
 * Seals a secret.
 * @param owner the record of the secret; it opens for the same owner only
 * @returns `v1.<id of the key>.<nonce, ciphertext and tag in base64url>`
 */
export function sealSecret(secret: string, owner: string, key: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner, 'utf8'));
  const parts = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `${VERSION}.${secretsKeyId(key)}.${Buffer.concat(parts).toString('base64url')}`;
}

/** The id of the key that sealed a text; null if the text is not sealed. */
export function sealedWith(sealed: string): string | null {
  return /^v1\.([0-9a-f]{16})\.[\w-]+$/.exec(sealed)?.[1] ?? null;
}

/**
 * Opens a sealed secret.
 * @returns null if another key sealed it, it was changed, or it has another owner
 */
export function openSecret(sealed: string, owner: string, key: Uint8Array): string | null {
  if (sealedWith(sealed) !== secretsKeyId(key)) return null;
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf('.') + 1), 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(owner, 'utf8')).setAuthTag(bytes.subarray(end));
  try {
    const opened = [decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()];
    return Buffer.concat(opened).toString('utf8');
  } catch {
    // The tag does not match: GCM gives no further reason.
    return null;
  }
}
