// Introspection (RFC 7662) and revocation (RFC 7009) of the tokens issued here. A client asks about its own tokens with its id
// and secret; an administrator asks about those of the tenant with an access token, and any access token about itself.
// Invariant: whoever may not see a token gets the answer for an unknown one, except that revoking another client's token is
// refused (RFC 7009 section 2.1).
import { randomBytes } from 'node:crypto';
import { mayDo } from '../../auth/access.ts';
import type { Caller, RequestOrigin } from '../../auth/caller.ts';
import type { TokenClaims } from '../../auth/claims.ts';
import type { Clock } from '../../auth/clock.ts';
import { CLOCK_SKEW_SECONDS } from '../../auth/jwt.ts';
import { newId, type RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { type AuditActor, actorOf, recordAuditEvent } from '../audit/audit-event.ts';
import type { RefreshToken, RevokedToken, Store } from '../ports/store.ts';
import { boundsOfClient } from './credential-bounds.ts';
import { LONGEST_VALIDITY_SECONDS } from './credential-members.ts';
import { currentRefreshToken, refreshFamilyOf } from './refresh-tokens.ts';
import type { OwnIssuer, TokenCheck } from './token-check.ts';
import { type BasicCredentials, required, type TokenGrants } from './token-grants.ts';

/** A request to one of the two endpoints. */
export interface TokenQuestion {
  /** `token`, and where the client authenticates by parameters `client_id` and `client_secret`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly basic: BasicCredentials | null;
  /** The Authorization header where it holds an access token instead. */
  readonly bearer: string | undefined;
  /** Where the request came from. */
  readonly origin: RequestOrigin;
}

/** Who asks, and which tokens are theirs to see. */
interface Asker {
  readonly tenantId: string;
  /** For the audit trail. */
  readonly actor: AuditActor;
  maySee(token: { readonly clientId: string; readonly tokenId: string | null }): boolean;
}

interface Parts {
  readonly store: Store;
  readonly own: OwnIssuer;
  readonly clock: Clock;
  readonly grants: TokenGrants;
  readonly check: TokenCheck;
  readonly random?: RandomBytes;
}

/** How long an access token may be taken after it was issued, in milliseconds. */
const LONGEST_LIFE_MS = (LONGEST_VALIDITY_SECONDS + CLOCK_SKEW_SECONDS) * 1000;
const INACTIVE = { active: false } as const;

/** Tells what tokens are and ends them. */
export class TokenInspection {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Describes a token (RFC 7662 section 2.2).
   * @returns `{active: false}` for whatever is expired, revoked, unknown or not the asker's to see
   * @throws ServiceError `oauth_invalid_request`, `oauth_invalid_client`, `token_invalid`, `rate_limited`, `unavailable`
   */
  async introspect(question: TokenQuestion): Promise<Record<string, unknown>> {
    const asker = await this.#authenticate(question);
    const value = required('token', question.parameters['token']);
    const { check, store, clock } = this.#parts;
    const claims = await check.inspect(value);
    if (claims !== null) return this.#accessToken(asker, claims);
    const token = await currentRefreshToken(store.read, asker.tenantId, value, clock.now());
    return token === null ? INACTIVE : this.#refreshToken(asker, token);
  }

  /**
   * Ends an access token, or a refresh token with all tokens of its chain. A token that is unknown or has expired is none that
   * could be used, so it counts as done (RFC 7009 section 2.2).
   * @throws ServiceError as `introspect`, and `oauth_unauthorized_client` for the token of another client
   */
  async revoke(question: TokenQuestion): Promise<void> {
    const asker = await this.#authenticate(question);
    const value = required('token', question.parameters['token']);
    const { tenantId } = asker;
    const claims = await this.#parts.check.inspect(value);
    if (claims !== null) {
      if (claims.tenant !== tenantId || !asker.maySee(claims)) throw notYours();
      const revoked = { id: claims.tokenId, expires: claims.expires + CLOCK_SKEW_SECONDS * 1000 };
      await this.#end(asker, revoked, { kind: 'access token', clientId: claims.clientId });
      return;
    }
    const family = refreshFamilyOf(value);
    if (family === null) return;
    const token = await this.#parts.store.read.refreshToken(tenantId, family);
    if (token === null) return;
    const { clientId } = token;
    if (!asker.maySee({ clientId, tokenId: null })) throw notYours();
    const revoked = { id: family, expires: this.#parts.clock.now() + LONGEST_LIFE_MS };
    await this.#end(asker, revoked, { kind: 'refresh token', clientId });
  }

  async #authenticate({ parameters, basic, bearer, origin }: TokenQuestion): Promise<Asker> {
    const { check, grants } = this.#parts;
    if (bearer !== undefined) return askerOf({ ...(await check.verify(bearer)), origin });
    const credential = await grants.authenticate(parameters, basic, origin);
    const { id, name } = credential.kind === 'pat' ? credential.token : credential.client;
    const actor = { name, id, origin };
    return { tenantId: credential.tenantId, actor, maySee: ({ clientId }) => clientId === id };
  }

  #accessToken(asker: Asker, claims: TokenClaims): Record<string, unknown> {
    if (claims.tenant !== asker.tenantId || !asker.maySee(claims)) return INACTIVE;
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

  async #refreshToken(asker: Asker, token: RefreshToken): Promise<Record<string, unknown>> {
    const { clientId, created, expires } = token;
    if (!asker.maySee({ clientId, tokenId: null })) return INACTIVE;
    const { store, clock } = this.#parts;
    const found = await store.read.clientById(clientId);
    if (found === null) return INACTIVE;
    const { ends, scopes } = await boundsOfClient(store.read, asker.tenantId, found.client);
    if (ends <= clock.now()) return INACTIVE;
    return {
      active: true,
      token_type: 'refresh_token',
      scope: scopes.join(' '),
      client_id: clientId,
      sub: clientId,
      iss: this.#parts.own.issuer,
      iat: Math.floor(Date.parse(created) / 1000),
      exp: Math.floor(Date.parse(expires) / 1000),
      tenant_id: asker.tenantId,
    };
  }

  #end(
    asker: Asker,
    revoked: RevokedToken,
    token: { readonly kind: 'access token' | 'refresh token'; readonly clientId: string },
  ): Promise<void> {
    const { store, clock, random = randomBytes } = this.#parts;
    const now = clock.now();
    const { kind, clientId } = token;
    return store.write(async (records) => {
      await records.revokeToken(asker.tenantId, revoked, now);
      if (kind === 'refresh token') await records.deleteRefreshToken(asker.tenantId, revoked.id);
      await recordAuditEvent(records, asker.tenantId, {
        id: newId(random),
        created: new Date(now).toISOString(),
        actor: asker.actor,
        target: clientId,
        type: 'AUTH',
        action: kind === 'access token' ? 'RevokeAccessToken' : 'RevokeRefreshToken',
        operation: 'REVOKE',
        status: 'PASSED',
        technicalName: `${kind.toUpperCase().replace(' ', '_')}_REVOKE_PASSED`,
        attributes: { clientId, tokenId: revoked.id },
      });
    });
  }
}

function askerOf(caller: Caller): Asker {
  const isAdministrator = mayDo(caller, 'admin');
  return {
    tenantId: caller.tenantId,
    actor: actorOf(caller),
    maySee: ({ tokenId }) => isAdministrator || tokenId === caller.tokenId,
  };
}

function notYours(): ServiceError {
  return new ServiceError(
    'oauth_unauthorized_client',
    'The token was issued to another client, and only an administrator of its tenant may revoke it.',
  );
}
