// API keys of profile management: how they look, and how they stand in a header. A key is told from a token by the two
// dots that every signed token has (contract/profiles.md section 1).
import { randomBytes } from 'node:crypto';
import type { RandomBytes } from './secrets.ts';

const BEARER = /^bearer +([^\s.]+) *$/i;
const TOKEN = /^token +token= *("?)([^"\s,]+)\1 *$/i;

/** A new key: `ne-` and 32 hexadecimal digits; clients take nothing but letters and digits after the dash. */
export function newApiKey(random: RandomBytes = randomBytes): string {
  return `ne-${Buffer.from(random(16)).toString('hex')}`;
}

/**
 * The key of a header, or null where it holds none, such as a signed token.
 * @param authorization the header as sent
 */
export function apiKeyOf(authorization: string | undefined): string | null {
  const header = authorization ?? '';
  return BEARER.exec(header)?.[1] ?? TOKEN.exec(header)?.[2] ?? null;
}
