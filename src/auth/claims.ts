// Reads the claims of a verified token. The service's own tokens have fixed claim names; those of
// an external issuer are settings, because every identity provider has its own.
import type { JWTPayload } from 'jose';
import { refused } from './jwt.ts';

/** How a token was obtained. */
export type Strategy = 'pat' | 'client' | 'external';

/** The content of a verified token. */
export interface TokenClaims {
  /** `jti` of a token issued here; of another issuer's token the fingerprint of what was signed. */
  readonly tokenId: string;
  /** As claimed, and checked. */
  readonly issuer: string;
  /** As claimed; the existence of the tenant is checked later. */
  readonly tenant: string;
  readonly clientId: string;
  readonly identityId: string | null;
  readonly userName: string | null;
  readonly scopes: readonly string[];
  readonly authorities: readonly string[];
  readonly strategy: Strategy;
  /** Epoch seconds; 0 when the token has no `iat`. */
  readonly issuedAt: number;
  /** Id of the refresh token family that the token was issued with, or null. */
  readonly family: string | null;
  /** Epoch milliseconds; limited by the maximum age for tokens of external issuers. */
  readonly expires: number;
}

/** The claim names of an issuer. */
export interface ClaimNames {
  /** Id or name of the tenant. */
  readonly tenant: string;
  readonly identity: string;
  readonly userName: string;
  /** An array, or one string separated by spaces. */
  readonly scope: string;
  readonly authorities: string;
}

/** What the entry of an external issuer says about the claims of its tokens. */
export interface ExternalRules {
  readonly maxAgeSeconds: number;
  /** Whether it issues tokens to API clients, which have no claim of an identity. */
  readonly clients: boolean;
}

/** The claim of the service's own tokens that names their refresh token family. */
export const FAMILY_CLAIM = 'refresh_family';

/** The claim names of the service's own tokens (contract/auth-users.md section 6). */
export const OWN_CLAIMS: ClaimNames = {
  tenant: 'tenant_id',
  identity: 'identity_id',
  userName: 'user_name',
  scope: 'scope',
  authorities: 'authorities',
};

/**
 * Reads the claims of a token whose signature has been checked.
 * @param external the rules of an external issuer; null for the service's own tokens
 * @param signed fingerprint of the text that was signed. It identifies a token of another issuer,
 * since `jti` is unique only among the tokens of one issuer, and optional
 * @throws ServiceError `token_invalid` when the claim of the tenant is missing, or that of the
 * identity in a token of an external issuer that belongs to no client
 */
export function readClaims(
  payload: JWTPayload,
  names: ClaimNames,
  external: ExternalRules | null,
  signed: string,
): TokenClaims {
  const tenant = text(payload[names.tenant]);
  if (tenant === null) throw refused(`the claim ${names.tenant} is missing or wrong`);
  const oldest =
    external === null ? Number.POSITIVE_INFINITY : (payload.iat ?? 0) + external.maxAgeSeconds;
  const client = text(payload['client_id']) ?? text(payload['azp']) ?? text(payload.sub);
  const clientId = client ?? text(payload.iss) ?? '';
  const identityId = identity(payload[names.identity], names.identity, external);
  if (external !== null && !isAddressable(identityId ?? clientId)) {
    const name = identityId === null ? 'client_id' : names.identity;
    throw refused(`the claim ${name} is no id that a request could name`);
  }
  return {
    tokenId: external === null ? (text(payload.jti) ?? signed) : signed,
    issuer: payload.iss ?? '',
    tenant,
    clientId,
    identityId,
    userName: text(payload[names.userName]),
    scopes: words(payload[names.scope]),
    authorities: words(payload[names.authorities]),
    strategy: external !== null ? 'external' : ownStrategy(payload['strategy']),
    issuedAt: payload.iat ?? 0,
    family: external !== null ? null : text(payload[FAMILY_CLAIM]),
    expires: Math.min(payload.exp ?? 0, oldest) * 1000,
  };
}

/**
 * A caller without an identity needs no levels, so only tokens that are known to belong to clients
 * may lack the claim: an identity provider may have no value of it for a person.
 */
function identity(value: unknown, name: string, external: ExternalRules | null): string | null {
  const id = text(value);
  if (id !== null || external === null) return id;
  if (external.clients && value === undefined) return null;
  throw refused(`the claim ${name} is missing or wrong`);
}

/** Longest id of a person or client of another issuer, in UTF-16 units, as of auth users. */
const ID_MAX = 256;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const NO_ID = /[\u0000-\u001f\u007f-\u009f]|^\.{1,2}$/;

/** Whether the path of a request can hold the id, as disabling and signing out need. */
function isAddressable(id: string): boolean {
  return id.length <= ID_MAX && !NO_ID.test(id);
}

function ownStrategy(value: unknown): Strategy {
  if (value === 'pat' || value === 'client') return value;
  throw refused('the claim strategy is missing or wrong');
}

/** A text that is not empty; null for one with NUL, too, which PostgreSQL cannot look up. */
function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? value : null;
}

function words(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ').filter((word) => word !== '');
  if (!Array.isArray(value)) return [];
  return value.filter((word): word is string => typeof word === 'string');
}
