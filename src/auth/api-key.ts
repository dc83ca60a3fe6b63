// API keys of profile management: their format, and parsing them from an Authorization header. A
// key has no dots, a signed token always has two (contract/profiles.md section 1).
import { randomBytes } from 'node:crypto';
import type { RandomBytes } from './secrets.ts';

const BEARER = /^bearer +([^\s.]+) *$/i;
const TOKEN = /^token +token= *("?)([^"\s,]+)\1 *$/i;

/**
 * A new key: `ne-` and 32 hexadecimal digits. Clients accept only letters and digits after the
 * dash.
 */
export function newApiKey(random: RandomBytes = randomBytes): string {
  return `ne-${Buffer.from(random(16)).toString('hex')}`;
}

/**
 * The API key in a header, or null where the header has none, such as with a signed token.
 * @param authorization the header as sent
 */
export function apiKeyOf(authorization: string | undefined): string | null {
  const header = authorization ?? '';
  return BEARER.exec(header)?.[1] ?? TOKEN.exec(header)?.[2] ?? null;
}
