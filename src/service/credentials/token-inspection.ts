// Introspection (RFC 7662) and revocation (RFC 7009) of the tokens that are accepted here, those of
// other issuers included. A client authenticates with id and secret and sees its own tokens. An access
// token sees itself, and those of the tenant if it is an administrator's.
// Invariant: a token that the requester may not see is reported as unknown, except that revoking
// another client's token is refused (RFC 7009 section 2.1).
import { commonScopes, mayDo } from '../../auth/access.ts';
import type { Caller, RequestOrigin } from '../../auth/caller.ts';
import type { Clock } from '../../auth/clock.ts';
import { CLOCK_SKEW_SECONDS } from '../../auth/jwt.ts';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { type AuditActor, actorOf, recordAuditEvent } from '../audit/audit-event.ts';
import type { RefreshToken, Store, WritableRecords } from '../ports/store.ts';
import { boundsOf } from './credential-bounds.ts';
import { type BasicCredentials, type CredentialCheck, required } from './credential-check.ts';
import { currentRefreshToken, endFamily, isBefore, refreshFamilyOf } from './refresh-tokens.ts';
import type { InspectedToken, OwnIssuer, TokenCheck } from './token-check.ts';

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
  maySee(token: SeenToken): boolean;
}

/** What decides who may see a token. */
interface SeenToken {
  readonly clientId: string;
  /** null for a refresh token. */
  readonly tokenId: string | null;
  readonly issuer: InspectedToken['issuer'];
}

interface Parts {
  readonly store: Store;
  readonly own: OwnIssuer;
  readonly clock: Clock;
  readonly credentials: CredentialCheck;
  readonly check: TokenCheck;
  readonly random: RandomBytes;
}

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
    const inspected = await check.inspect(value);
    if (inspected !== null) return this.#accessToken(requester, inspected);
    const token = await currentRefreshToken(store.read, requester.tenantId, value, clock.now());
    return token === null ? INACTIVE : this.#refreshToken(requester, token);
  }

  /**
   * Revokes an access token, or a refresh token with all tokens of its family. An unknown or
   * expired token cannot be used, so it counts as revoked (RFC 7009 section 2.2); one that is only
   * not accepted now does not, since it may be later.
   * @throws ServiceError as `introspect`, `unavailable` also if a token cannot be checked now, and `oauth_unauthorized_client` for the token of another
   * client
   */
  async revoke(request: TokenInspectionRequest): Promise<void> {
    const requester = await this.#authenticate(request);
    const value = required('token', request.parameters['token']);
    const { tenantId } = requester;
    const signed = await this.#parts.check.signedToken(value);
    if (signed !== null) {
      if (!isVisible(requester, signed)) throw otherClientsToken();
      const { tokenId, clientId, expires, family } = signed.claims;
      if (await this.#parts.store.read.isRevoked(tenantId, tokenId, family)) return;
      const revoked = { id: tokenId, expires: expires + CLOCK_SKEW_SECONDS * 1000 };
      await this.#revoke(requester, { object: 'ACCESS_TOKEN', id: tokenId, clientId }, (records) =>
        records.revokeToken(tenantId, revoked),
      );
      return;
    }
    const family = refreshFamilyOf(value);
    if (family === null) return;
    const token = await this.#parts.store.read.refreshToken(tenantId, family);
    if (token === null) return;
    const { clientId } = token;
    if (!requester.maySee({ clientId, tokenId: null, issuer: 'own' })) throw otherClientsToken();
    await this.#revoke(requester, { object: 'REFRESH_TOKEN', id: family, clientId }, (records) =>
      endFamily(records, tenantId, family, this.#parts.clock.now()),
    );
  }

  async #authenticate({
    parameters,
    basic,
    bearer,
    origin,
  }: TokenInspectionRequest): Promise<Requester> {
    const { check, credentials } = this.#parts;
    if (bearer !== undefined) return requesterOf({ ...(await check.verify(bearer)), origin });
    const { credential } = await credentials.authenticate(parameters, basic, origin);
    const { id, name } = credential;
    const actor = { name, id, origin };
    const maySee = ({ clientId, issuer }: SeenToken) => clientId === id && issuer === 'own';
    return { tenantId: credential.tenantId, actor, maySee };
  }

  #accessToken(requester: Requester, inspected: InspectedToken): Record<string, unknown> {
    if (!isVisible(requester, inspected)) return INACTIVE;
    const { claims, scopes, tenantId } = inspected;
    return {
      active: true,
      token_type: 'bearer',
      scope: scopes.join(' '),
      client_id: claims.clientId,
      ...(claims.userName === null ? {} : { username: claims.userName }),
      sub: claims.identityId ?? claims.clientId,
      iss: claims.issuer,
      ...(inspected.issuer === 'own' && { aud: this.#parts.own.audience }),
      iat: claims.issuedAt,
      exp: claims.expires / 1000,
      jti: claims.tokenId,
      tenant_id: tenantId,
    };
  }

  async #refreshToken(requester: Requester, token: RefreshToken): Promise<Record<string, unknown>> {
    const { clientId, created, expires } = token;
    if (!requester.maySee({ clientId, tokenId: null, issuer: 'own' })) return INACTIVE;
    const { store, clock } = this.#parts;
    const client = await store.read.credentialById(clientId);
    if (client?.tenantId !== requester.tenantId) return INACTIVE;
    const { ends, scopes, validFrom } = await boundsOf(store.read, client);
    if (ends <= clock.now() || isBefore(token, validFrom)) return INACTIVE;
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
    { object, id, clientId }: RevokedToken,
    end: (records: WritableRecords) => Promise<void>,
  ): Promise<void> {
    const { store, clock, random } = this.#parts;
    return store.write(async (records) => {
      await end(records);
      const context = { actor: requester.actor, now: clock.now(), random };
      await recordAuditEvent(records, requester.tenantId, context, {
        act: `${object}_REVOKE`,
        target: clientId,
        attributes: { clientId, tokenId: id },
      });
    });
  }
}

/** What the event of a revocation says. */
interface RevokedToken {
  readonly object: 'ACCESS_TOKEN' | 'REFRESH_TOKEN';
  readonly id: string;
  readonly clientId: string;
}

function requesterOf(caller: Caller): Requester {
  const isAdministrator = mayDo(caller, 'admin');
  return {
    tenantId: caller.tenantId,
    actor: actorOf(caller),
    maySee: ({ tokenId }) => isAdministrator || tokenId === caller.tokenId,
  };
}

function isVisible(
  requester: Requester,
  { claims, tenantId, issuer }: Omit<InspectedToken, 'scopes'>,
): boolean {
  return tenantId === requester.tenantId && requester.maySee({ ...claims, issuer });
}

function otherClientsToken(): ServiceError {
  return new ServiceError(
    'oauth_unauthorized_client',
    'The token was issued to another client, and only an administrator of its tenant may revoke it.',
  );
}
