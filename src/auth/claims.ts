// What the service reads out of a verified token, whoever issued it. Our own tokens use fixed claim names; an
// external issuer's names are settings, since every identity provider has its own.
import type { JWTPayload } from 'jose';
import { refused } from './jwt.ts';

/** How a token came to be. */
export type Strategy = 'pat' | 'client' | 'external';

/** A verified token's content. */
export interface TokenClaims {
  readonly tokenId: string;
  /** As claimed; whether the tenant exists is judged later. */
  readonly tenant: string;
  readonly clientId: string;
  readonly identityId: string | null;
  readonly userName: string | null;
  readonly scopes: readonly string[];
  readonly authorities: readonly string[];
  readonly strategy: Strategy;
  /** Epoch seconds; 0 where the token does not say. */
  readonly issuedAt: number;
  /** Id of the chain of refresh tokens that the token was issued with; null: none. */
  readonly family: string | null;
  /** Epoch milliseconds; of another issuer's token no later than its greatest age. */
  readonly expires: number;
}

/** The names under which an issuer puts what is needed here. */
export interface ClaimNames {
  /** Id or name of the tenant. */
  readonly tenant: string;
  readonly identity: string;
  readonly userName: string;
  /** An array, or one string with spaces. */
  readonly scope: string;
  readonly authorities: string;
}

/** The claim of our own tokens that names their chain of refresh tokens. */
export const FAMILY_CLAIM = 'refresh_family';

/** The names our own tokens use (contract/auth-users.md section 6). */
export const OWN_CLAIMS: ClaimNames = {
  tenant: 'tenant_id',
  identity: 'identity_id',
  userName: 'user_name',
  scope: 'scope',
  authorities: 'authorities',
};

/**
 * Reads the claims of a token whose signature has been checked.
 * @param external the rules of another issuer; null: issued here
 * @param tokenId where the token has no `jti`
 * @throws ServiceError `token_invalid` where no tenant is named
 */
export function readClaims(
  payload: JWTPayload,
  names: ClaimNames,
  external: { readonly maxAgeSeconds: number } | null,
  tokenId: string,
): TokenClaims {
  const tenant = text(payload[names.tenant]);
  if (tenant === null) throw refused(`the claim ${names.tenant} is missing or wrong`);
  const oldest =
    external === null ? Number.POSITIVE_INFINITY : (payload.iat ?? 0) + external.maxAgeSeconds;
  const clientId = text(payload['client_id']) ?? text(payload['azp']) ?? text(payload.sub);
  return {
    tokenId: text(payload.jti) ?? tokenId,
    tenant,
    clientId: clientId ?? text(payload.iss) ?? '',
    identityId: text(payload[names.identity]),
    userName: text(payload[names.userName]),
    scopes: words(payload[names.scope]),
    authorities: words(payload[names.authorities]),
    strategy: external !== null ? 'external' : ownStrategy(payload['strategy']),
    issuedAt: payload.iat ?? 0,
    family: external !== null ? null : text(payload[FAMILY_CLAIM]),
    expires: Math.min(payload.exp ?? 0, oldest) * 1000,
  };
}

function ownStrategy(value: unknown): Strategy {
  if (value === 'pat' || value === 'client') return value;
  throw refused('the claim strategy is missing or wrong');
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function words(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '');
  if (!Array.isArray(value)) return [];
  return value.filter((word): word is string => typeof word === 'string');
}
