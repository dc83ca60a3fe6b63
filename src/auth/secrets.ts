// Secrets and ids the service hands out, and how a secret is kept. A secret is 256 random bits, so nobody can try
// its values out: a slow hash (scrypt, argon2) would add nothing and would cost a script that asks for a token per
// command a tenth of a second each time. A salted SHA-256 keeps a copy of the store useless.
// Invariant: a secret is compared only by its hash, in constant time.
import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Where random bytes come from; a test may pass its own. */
export type RandomBytes = (size: number) => Uint8Array;

const SCHEME = 'sha256';

/** A new id: 32 hexadecimal digits. */
export function newId(random: RandomBytes = randomBytes): string {
  return Buffer.from(random(16)).toString('hex');
}

/** A new secret: 256 bits as 64 hexadecimal digits. */
export function newSecret(random: RandomBytes = randomBytes): string {
  return Buffer.from(random(32)).toString('hex');
}

/** What is stored for a secret: `sha256$salt$hash`, both base64url. */
export function hashSecret(secret: string, random: RandomBytes = randomBytes): string {
  const salt = Buffer.from(random(16));
  return `${SCHEME}$${salt.toString('base64url')}$${digest(salt, secret).toString('base64url')}`;
}

/** Whether a secret is the one that was stored; takes equally long either way. */
export function verifySecret(secret: string, stored: string): boolean {
  const [scheme, salt, kept] = stored.split('$');
  if (scheme !== SCHEME || salt === undefined || kept === undefined) return false;
  const expected = Buffer.from(kept, 'base64url');
  const actual = digest(Buffer.from(salt, 'base64url'), secret);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The key a random value is found by without being kept: its unsalted SHA-256 as base64url. */
export function fingerprint(value: string): string {
  return hash('sha256', value, 'base64url');
}

/** Compared against where an id is unknown, so that an unknown id takes as long as a wrong secret. */
export const NO_SECRET_HASH = hashSecret('', () => new Uint8Array(16));

function digest(salt: Uint8Array, secret: string): Buffer {
  return createHash('sha256').update(salt).update(secret).digest();
}
