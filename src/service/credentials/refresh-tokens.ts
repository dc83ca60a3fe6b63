// Refresh tokens of API clients, `<family id>.<secret>`. Each use replaces the secret, so a family
// is one row however often it is used (RFC 6749 section 6). A token of an existing family with an
// old secret was reused, by its owner or by a thief: the family ends with all its access tokens
// (RFC 9700 section 4.14.2).
// Invariant: only hashes of secrets are stored, and a client has at most MAX_PER_CLIENT families.

import type { RequestOrigin } from '../../auth/caller.ts';
import { CLOCK_SKEW_SECONDS } from '../../auth/jwt.ts';
import {
  hashSecret,
  newId,
  newSecret,
  type RandomBytes,
  verifySecret,
} from '../../auth/secrets.ts';
import { recordAuditEvent } from '../audit/audit-event.ts';
import type { OAuthClient, Records, RefreshToken, WritableRecords } from '../ports/store.ts';
import { LONGEST_VALIDITY_SECONDS } from './credential-members.ts';

/** Maximum number of families per client; a new one replaces the oldest. */
export const MAX_PER_CLIENT = 100;

/** Time and randomness of one transaction. */
export interface IssueContext {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly random: RandomBytes;
}

/** The circumstances of a rotation. */
interface RotationContext extends IssueContext {
  /** Epoch seconds: tokens of the client that were issued earlier are rejected. */
  readonly validFrom: number;
  readonly origin: RequestOrigin;
}

/** Milliseconds from issue during which an access token may be accepted. */
const ACCESS_TOKEN_MS_MAX = (LONGEST_VALIDITY_SECONDS + CLOCK_SKEW_SECONDS) * 1000;

const TOKEN = /^([0-9a-f]{32})\.([0-9a-f]{64})$/;

/** The family id of a refresh token; null when the text is not a refresh token. */
export function refreshFamilyOf(value: string): string | null {
  return TOKEN.exec(value)?.[1] ?? null;
}

/**
 * The record of a token, without using it.
 * @returns null when the token is unknown, used or expired
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
 * Starts a family in the caller's transaction. Deletes expired families of the client, and the
 * oldest when there are too many.
 * @param scope to which all tokens of the family are narrowed; null: all of the client's
 * @param now the time at which the family begins, from before the client's state was read
 * @returns the token, which is not stored
 */
export async function issueRefreshToken(
  records: WritableRecords,
  tenantId: string,
  client: OAuthClient,
  scope: readonly string[] | null,
  { now, random }: IssueContext,
): Promise<string> {
  const families = await records.refreshTokensOf(tenantId, client.id);
  const liveFamilies = families.filter((token) => !hasExpired(token, now));
  const retained = new Set(
    liveFamilies.slice(Math.max(0, liveFamilies.length - (MAX_PER_CLIENT - 1))),
  );
  for (const token of families) {
    if (!retained.has(token)) await records.deleteRefreshToken(tenantId, token.id);
  }
  const id = newId(random);
  const secret = newSecret(random);
  await records.addRefreshToken(tenantId, {
    id,
    clientId: client.id,
    secretHash: hashSecret(secret, random),
    scope,
    created: new Date(now).toISOString(),
    expires: expiryOf(client, now),
  });
  return `${id}.${secret}`;
}

/** The next token of a family, and the scopes to which the family is narrowed. */
export interface Successor extends Pick<RefreshToken, 'scope'> {
  readonly value: string;
}

/**
 * Exchanges a token for the next one of its family, in the caller's transaction.
 * @returns null when `value` is not one of the client's, has expired, or was
 * reused. After a reuse the family has ended, which the caller must commit.
 */
export async function rotateRefreshToken(
  records: WritableRecords,
  tenantId: string,
  client: OAuthClient,
  value: string,
  context: RotationContext,
): Promise<Successor | null> {
  const [, id, secret] = TOKEN.exec(value) ?? [];
  if (id === undefined || secret === undefined) return null;
  const token = await records.refreshToken(tenantId, id);
  if (token === null || token.clientId !== client.id) return null;
  const { now, random, validFrom } = context;
  if (!verifySecret(secret, token.secretHash)) {
    await endFamily(records, tenantId, id, now);
    await recordReuse(records, tenantId, client, context);
    return null;
  }
  if (hasExpired(token, now) || isBefore(token, validFrom)) return null;
  const successor = newSecret(random);
  await records.updateRefreshToken(tenantId, {
    ...token,
    secretHash: hashSecret(successor, random),
    expires: expiryOf(client, now),
  });
  return { value: `${id}.${successor}`, scope: token.scope };
}

/** Deletes a family and revokes its access tokens, in the caller's transaction. */
export async function endFamily(
  records: WritableRecords,
  tenantId: string,
  id: string,
  now: number,
): Promise<void> {
  await records.deleteRefreshToken(tenantId, id);
  await records.revokeToken(tenantId, { id, expires: now + ACCESS_TOKEN_MS_MAX });
}

/** Whether a family began before the tokens of its client ended. @param validFrom epoch seconds */
export function isBefore({ created }: RefreshToken, validFrom: number): boolean {
  return Date.parse(created) < validFrom * 1000;
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
  { now, random, origin }: RotationContext,
): Promise<void> {
  const actor = { name: client.name, id: client.id, origin };
  return recordAuditEvent(
    records,
    tenantId,
    { actor, now, random },
    {
      act: 'REFRESH_TOKEN_REVOKE',
      target: client.name,
      attributes: { clientId: client.id, reason: 'used twice' },
    },
  );
}
