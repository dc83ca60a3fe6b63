// Refresh tokens of API clients. A token is `<id of the chain>.<secret>`: each use replaces the secret, so a chain takes
// one row however often it is used (RFC 6749 section 6). A token whose chain exists and whose secret is not the current
// one has been used before, by its owner or by a thief: the chain is deleted (RFC 9700 section 4.14.2).
// Invariant: only the hash of a secret is stored, and a client has at most MAX_PER_CLIENT chains.

import type { RequestOrigin } from '../../auth/caller.ts';
import {
  hashSecret,
  newId,
  newSecret,
  type RandomBytes,
  verifySecret,
} from '../../auth/secrets.ts';
import { recordAuditEvent } from '../audit/audit-event.ts';
import type { OAuthClient, Records, RefreshToken, WritableRecords } from '../ports/store.ts';

/** Chains that one client may have; a new one replaces the oldest. */
export const MAX_PER_CLIENT = 100;

/** Time and randomness of one transaction. */
export interface Issuing {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly random: RandomBytes;
}

const TOKEN = /^([0-9a-f]{32})\.([0-9a-f]{64})$/;

/** The chain that a token belongs to; null where the text is no refresh token. */
export function refreshFamilyOf(value: string): string | null {
  return TOKEN.exec(value)?.[1] ?? null;
}

/**
 * The record behind a token, for whoever only asks about it.
 * @returns null where the token is unknown, was used before or has expired
 */
export async function currentRefreshToken(
  records: Records,
  tenantId: string,
  value: string,
  now: number,
): Promise<RefreshToken | null> {
  const [, id, secret] = TOKEN.exec(value) ?? [];
  if (id === undefined || secret === undefined) return null;
  const token = await records.refreshToken(tenantId, id);
  if (token === null || hasExpired(token, now)) return null;
  return verifySecret(secret, token.secretHash) ? token : null;
}

/**
 * Begins a chain, in the caller's transaction. Chains of the client that have expired are deleted, and the oldest
 * where there are too many.
 * @returns the token, which is not stored
 */
export async function issueRefreshToken(
  records: WritableRecords,
  tenantId: string,
  client: OAuthClient,
  { now, random }: Issuing,
): Promise<string> {
  const held = await records.refreshTokensOf(tenantId, client.id);
  const live = held.filter((token) => !hasExpired(token, now));
  const keep = new Set(live.slice(Math.max(0, live.length - (MAX_PER_CLIENT - 1))));
  for (const token of held) {
    if (!keep.has(token)) await records.deleteRefreshToken(tenantId, token.id);
  }
  const id = newId(random);
  const secret = newSecret(random);
  await records.addRefreshToken(tenantId, {
    id,
    clientId: client.id,
    secretHash: hashSecret(secret, random),
    created: new Date(now).toISOString(),
    expires: expiryOf(client, now),
  });
  return `${id}.${secret}`;
}

/**
 * Exchanges a token for the next one of its chain, in the caller's transaction.
 * @returns the next token; null where `value` is none of the client's, has expired, or was used before. In the last case
 *   the chain is deleted, which the caller must commit.
 */
export async function rotateRefreshToken(
  records: WritableRecords,
  tenantId: string,
  client: OAuthClient,
  value: string,
  issuing: Issuing & { readonly origin: RequestOrigin },
): Promise<string | null> {
  const [, id, secret] = TOKEN.exec(value) ?? [];
  if (id === undefined || secret === undefined) return null;
  const token = await records.refreshToken(tenantId, id);
  if (token === null || token.clientId !== client.id) return null;
  const { now, random } = issuing;
  if (!verifySecret(secret, token.secretHash)) {
    await records.deleteRefreshToken(tenantId, id);
    await recordReuse(records, tenantId, client, issuing);
    return null;
  }
  if (hasExpired(token, now)) return null;
  const successor = newSecret(random);
  await records.updateRefreshToken(tenantId, {
    ...token,
    secretHash: hashSecret(successor, random),
    expires: expiryOf(client, now),
  });
  return `${id}.${successor}`;
}

function hasExpired({ expires }: RefreshToken, now: number): boolean {
  return Date.parse(expires) <= now;
}

function expiryOf({ refreshTokenValiditySeconds }: OAuthClient, now: number): string {
  return new Date(now + refreshTokenValiditySeconds * 1000).toISOString();
}

function recordReuse(
  records: WritableRecords,
  tenantId: string,
  client: OAuthClient,
  { now, random, origin }: Issuing & { readonly origin: RequestOrigin },
): Promise<void> {
  return recordAuditEvent(records, tenantId, {
    id: newId(random),
    created: new Date(now).toISOString(),
    actor: { name: client.name, id: client.id, origin },
    target: client.name,
    type: 'AUTH',
    action: 'RevokeRefreshToken',
    operation: 'REVOKE',
    status: 'PASSED',
    technicalName: 'REFRESH_TOKEN_REVOKE_PASSED',
    attributes: { clientId: client.id, reason: 'used twice' },
  });
}
