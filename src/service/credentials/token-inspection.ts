// Introspection (RFC 7662) and revocation (RFC 7009) of tokens issued here. A client authenticates
// with id and secret and sees its own tokens. An access token sees itself, and those of the tenant
// if it is an administrator's.
// Invariant: a token that the requester may not see is reported as unknown, except that revoking
// another client's token is refused (RFC 7009 section 2.1).
import { commonScopes, mayDo } from '../../auth/access.ts';
import type { Caller, RequestOrigin } from '../../auth/caller.ts';
import type { TokenClaims } from '../../auth/claims.ts';
import type { Clock } from '../../auth/clock.ts';
import { CLOCK_SKEW_SECONDS } from '../../auth/jwt.ts';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { type AuditActor, actorOf, recordAuditEvent } from '../audit/audit-event.ts';
import type { RefreshToken, RevokedToken, Store } from '../ports/store.ts';
import { boundsOfClient } from './credential-bounds.ts';
import { type BasicCredentials, type CredentialCheck, required } from './credential-check.ts';
import { LONGEST_VALIDITY_SECONDS } from './credential-members.ts';
import { currentRefreshToken, refreshFamilyOf } from './refresh-tokens.ts';
import type { OwnIssuer, TokenCheck } from './token-check.ts';

/** A request to one of the two endpoints. */
export interface TokenInspectionRequest {
  /** `token`, and `client_id` and `client_secret` where the client authenticates by parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly basic: BasicCredentials | null;
  /** The Authorization header, when it has an access token instead. */
  readonly bearer: string | undefined;
  /** Where the request came from. */
  readonly origin: RequestOrigin;
}

/** The authenticated requester, and the tokens it may see. */
interface Requester {
  readonly tenantId: string;
  /** For the audit trail. */
  readonly actor: AuditActor;
  maySee(token: { readonly clientId: string; readonly tokenId: string | null }): boolean;
}

interface Parts {
  readonly store: Store;
  readonly own: OwnIssuer;
  readonly clock: Clock;
  readonly credentials: CredentialCheck;
  readonly check: TokenCheck;
  readonly random: RandomBytes;
}

/** Maximum milliseconds from issue during which an access token is accepted. */
const MAX_LIFETIME_MS = (LONGEST_VALIDITY_SECONDS + CLOCK_SKEW_SECONDS) * 1000;
const INACTIVE = { active: false } as const;

/** Introspects and revokes tokens. */
export class TokenInspection {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Describes a token (RFC 7662 section 2.2).
   * @returns `{active: false}` for a token that is expired, revoked, unknown or not visible
   * @throws ServiceError `oauth_invalid_request`, `oauth_invalid_client`, `token_invalid`,
   * `rate_limited`, `unavailable`
   */
  async introspect(request: TokenInspectionRequest): Promise<Record<string, unknown>> {
    const requester = await this.#authenticate(request);
    const value = required('token', request.parameters['token']);
    const { check, store, clock } = this.#parts;
    const claims = await check.inspect(value);
    if (claims !== null) return this.#accessToken(requester, claims);
    const token = await currentRefreshToken(store.read, requester.tenantId, value, clock.now());
    return token === null ? INACTIVE : this.#refreshToken(requester, token);
  }

  /**
   * Revokes an access token, or a refresh token with all tokens of its family. An unknown or
   * expired token cannot be used, so it counts as revoked (RFC 7009 section 2.2).
   * @throws ServiceError as `introspect`, and `oauth_unauthorized_client` for the token of another
   * client
   */
  async revoke(request: TokenInspectionRequest): Promise<void> {
    const requester = await this.#authenticate(request);
    const value = required('token', request.parameters['token']);
    const { tenantId } = requester;
    const claims = await this.#parts.check.inspect(value);
    if (claims !== null) {
      if (claims.tenant !== tenantId || !requester.maySee(claims)) throw otherClientsToken();
      const revoked = { id: claims.tokenId, expires: claims.expires + CLOCK_SKEW_SECONDS * 1000 };
      await this.#revoke(requester, revoked, { kind: 'access token', clientId: claims.clientId });
      return;
    }
    const family = refreshFamilyOf(value);
    if (family === null) return;
    const token = await this.#parts.store.read.refreshToken(tenantId, family);
    if (token === null) return;
    const { clientId } = token;
    if (!requester.maySee({ clientId, tokenId: null })) throw otherClientsToken();
    const revoked = { id: family, expires: this.#parts.clock.now() + MAX_LIFETIME_MS };
    await this.#revoke(requester, revoked, { kind: 'refresh token', clientId });
  }

  async #authenticate({
    parameters,
    basic,
    bearer,
    origin,
  }: TokenInspectionRequest): Promise<Requester> {
    const { check, credentials } = this.#parts;
    if (bearer !== undefined) return requesterOf({ ...(await check.verify(bearer)), origin });
    const credential = await credentials.authenticate(parameters, basic, origin);
    const { id, name } = credential.kind === 'pat' ? credential.token : credential.client;
    const actor = { name, id, origin };
    return { tenantId: credential.tenantId, actor, maySee: ({ clientId }) => clientId === id };
  }

  #accessToken(requester: Requester, claims: TokenClaims): Record<string, unknown> {
    if (claims.tenant !== requester.tenantId || !requester.maySee(claims)) return INACTIVE;
    return {
      active: true,
      token_type: 'bearer',
      scope: claims.scopes.join(' '),
      client_id: claims.clientId,
      ...(claims.userName === null ? {} : { username: claims.userName }),
      sub: claims.identityId ?? claims.clientId,
      iss: this.#parts.own.issuer,
      aud: this.#parts.own.audience,
      iat: claims.issuedAt,
      exp: claims.expires / 1000,
      jti: claims.tokenId,
      tenant_id: claims.tenant,
    };
  }

  async #refreshToken(requester: Requester, token: RefreshToken): Promise<Record<string, unknown>> {
    const { clientId, created, expires } = token;
    if (!requester.maySee({ clientId, tokenId: null })) return INACTIVE;
    const { store, clock } = this.#parts;
    const record = await store.read.clientById(clientId);
    if (record === null) return INACTIVE;
    const { ends, scopes } = await boundsOfClient(store.read, requester.tenantId, record.client);
    if (ends <= clock.now()) return INACTIVE;
    return {
      active: true,
      token_type: 'refresh_token',
      scope: (token.scope === null ? scopes : commonScopes(token.scope, scopes)).join(' '),
      client_id: clientId,
      sub: clientId,
      iss: this.#parts.own.issuer,
      iat: Math.floor(Date.parse(created) / 1000),
      exp: Math.floor(Date.parse(expires) / 1000),
      tenant_id: requester.tenantId,
    };
  }

  #revoke(
    requester: Requester,
    revoked: RevokedToken,
    token: { readonly kind: 'access token' | 'refresh token'; readonly clientId: string },
  ): Promise<void> {
    const { store, clock, random } = this.#parts;
    const { kind, clientId } = token;
    return store.write(async (records) => {
      await records.revokeToken(requester.tenantId, revoked);
      if (kind === 'refresh token')
        await records.deleteRefreshToken(requester.tenantId, revoked.id);
      const context = { actor: requester.actor, now: clock.now(), random };
      await recordAuditEvent(records, requester.tenantId, context, {
        object: kind.toUpperCase().replace(' ', '_'),
        operation: 'REVOKE',
        target: clientId,
        type: 'AUTH',
        attributes: { clientId, tokenId: revoked.id },
      });
    });
  }
}

function requesterOf(caller: Caller): Requester {
  const isAdministrator = mayDo(caller, 'admin');
  return {
    tenantId: caller.tenantId,
    actor: actorOf(caller),
    maySee: ({ tokenId }) => isAdministrator || tokenId === caller.tokenId,
  };
}

function otherClientsToken(): ServiceError {
  return new ServiceError(
    'oauth_unauthorized_client',
    'The token was issued to another client, and only an administrator of its tenant may revoke it.',
  );
}
