// Generates ids and secrets, and hashes secrets for storage. A secret has 256 random bits and
// cannot be guessed, so a slow hash (scrypt, argon2) would add no security but 100 ms for every
// script that requests a token per command. With a salted SHA-256, a copy of the store is useless.
// Invariant: secrets are compared only by hash, in constant time.
import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Source of random bytes; tests may pass their own. */
export type RandomBytes = (size: number) => Uint8Array;

const SCHEME = 'sha256';

/** A new id: 32 hexadecimal digits. */
export function newId(random: RandomBytes = randomBytes): string {
  return Buffer.from(random(16)).toString('hex');
}

/** A new random UUID (RFC 9562 section 5.4), with dashes. */
export function newUuid(random: RandomBytes = randomBytes): string {
  const bytes = Buffer.from(random(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A new secret: 256 bits as 64 hexadecimal digits. */
export function newSecret(random: RandomBytes = randomBytes): string {
  return Buffer.from(random(32)).toString('hex');
}

/** The stored form of a secret: `sha256$salt$hash`, both base64url. */
export function hashSecret(secret: string, random: RandomBytes = randomBytes): string {
  const salt = Buffer.from(random(16));
  return `${SCHEME}$${salt.toString('base64url')}$${digest(salt, secret).toString('base64url')}`;
}

/** Whether a secret matches the stored hash, in constant time. */
export function verifySecret(secret: string, stored: string): boolean {
  const [scheme, salt, storedHash] = stored.split('$');
  if (scheme !== SCHEME || salt === undefined || storedHash === undefined) return false;
  const expected = Buffer.from(storedHash, 'base64url');
  const actual = digest(Buffer.from(salt, 'base64url'), secret);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/**
 * The lookup key for a random value that is not stored itself: its unsalted SHA-256 as base64url.
 */
export function fingerprint(value: string): string {
  return hash('sha256', value, 'base64url');
}

/** A hash to compare with when an id is unknown, so that this takes as long as a wrong secret. */
export const NO_SECRET_HASH = hashSecret('', () => new Uint8Array(16));

function digest(salt: Uint8Array, secret: string): Buffer {
  return createHash('sha256').update(salt).update(secret).digest();
}
