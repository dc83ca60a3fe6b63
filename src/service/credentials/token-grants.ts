// The token endpoint: exchanges credentials for access tokens (RFC 6749; contract/auth-users.md
// section 6). A personal access token yields a user's token; an API client's secret yields an app
// token, with a refresh token where the client has that grant. The authorization code grant needs a
// sign-in page and is not offered.
import type { JWTPayload } from 'jose';
import { commonScopes, narrowedScopes } from '../../auth/access.ts';
import type { RequestOrigin } from '../../auth/caller.ts';
import { FAMILY_CLAIM, type Strategy } from '../../auth/claims.ts';
import type { Clock } from '../../auth/clock.ts';
import { signToken } from '../../auth/jwt.ts';
import { newId, type RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { recordAuditEvents } from '../audit/audit-event.ts';
import type {
  AuthUser,
  OAuthClient,
  PersonalAccessToken,
  Store,
  Tenant,
  TenantCredential,
  WritableRecords,
} from '../ports/store.ts';
import {
  type BasicCredentials,
  badClient,
  type CredentialCheck,
  required,
  signInOf,
  type UsableCredential,
} from './credential-check.ts';
import { isFirstUseToday, noteUse } from './credential-use.ts';
import { issueRefreshToken, refreshFamilyOf, rotateRefreshToken } from './refresh-tokens.ts';
import { SIGN_IN_CODE_GRANT } from './sign-in-codes.ts';
import { type SignIn, type SignIns, signInEvent } from './sign-ins.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { OwnIssuer } from './token-check.ts';

/** What a token request asks for. */
interface Wish {
  /** null for a first token. */
  readonly refreshToken: string | null;
  /** null: all scopes of the credential. */
  readonly scopes: readonly string[] | null;
}

/** The content of a token to be issued. */
interface Grant {
  readonly tenantId: string;
  readonly clientId: string;
  readonly strategy: Strategy;
  /** null for API clients. */
  readonly user: AuthUser | null;
  /** For API clients only. */
  readonly accessType?: OAuthClient['accessType'];
  readonly scope: readonly string[];
  readonly lifetimeSeconds: number;
  readonly refreshToken?: string;
}

type Client = TenantCredential<OAuthClient>;

const GRANTS: ReadonlySet<string> = new Set(['client_credentials', 'refresh_token']);

export interface TokenGrantsParts {
  readonly store: Store;
  readonly keys: SigningKeys;
  readonly clock: Clock;
  readonly own: OwnIssuer;
  readonly credentials: CredentialCheck;
  /** Records sign-ins that write nothing else; null: none. */
  readonly signIns: SignIns | null;
  readonly random: RandomBytes;
}

/** Issues access tokens. */
export class TokenGrants {
  readonly #store: Store;
  readonly #keys: SigningKeys;
  readonly #clock: Clock;
  readonly #own: OwnIssuer;
  readonly #credentials: CredentialCheck;
  readonly #signIns: SignIns | null;
  readonly #random: RandomBytes;

  constructor(parts: TokenGrantsParts) {
    this.#store = parts.store;
    this.#keys = parts.keys;
    this.#clock = parts.clock;
    this.#own = parts.own;
    this.#credentials = parts.credentials;
    this.#signIns = parts.signIns;
    this.#random = parts.random;
  }

  /**
   * Answers one token request.
   * @param parameters query, body and form merged; the body takes precedence
   * @param basic from the Authorization header; parameters take precedence over it
   * @param requestId of the request, for the audit trail
   * @returns the body of the 200 response
   * @throws ServiceError `oauth_*`, `rate_limited`, `unavailable`
   */
  async issue(
    parameters: Readonly<Record<string, string>>,
    basic: BasicCredentials | null,
    remoteAddress: string,
    requestId = '',
  ): Promise<Record<string, unknown>> {
    const grantType = required('grant_type', parameters['grant_type']).toLowerCase();
    const scopes = requestedScopes(parameters['scope']);
    const origin = { address: remoteAddress, requestId };
    if (grantType === SIGN_IN_CODE_GRANT && (await this.#credentials.takesCodes())) {
      const code = required('code', parameters['code']);
      const credential = await this.#credentials.redeemCode(code, origin);
      return this.#respond(credential, { refreshToken: null, scopes }, origin);
    }
    if (!GRANTS.has(grantType)) {
      throw new ServiceError(
        'oauth_unsupported_grant_type',
        'The grant types offered are client_credentials and refresh_token.',
      );
    }
    const refreshToken =
      grantType === 'refresh_token' ? required('refresh_token', parameters['refresh_token']) : null;
    const credential = await this.#credentials.authenticate(parameters, basic, origin);
    return this.#respond(credential, { refreshToken, scopes }, origin);
  }

  async #respond(
    usable: UsableCredential,
    wish: Wish,
    origin: RequestOrigin,
  ): Promise<Record<string, unknown>> {
    try {
      // Before anything is recorded or a refresh token is used up.
      granted(usable.scopes, wish);
      const grant = await this.#grant(usable, wish, origin);
      const scope = granted(commonScopes(grant.scope, usable.scopes), wish);
      return await this.#toResponse({ ...grant, scope }, usable);
    } catch (error) {
      const refusal = error instanceof ServiceError && error.code.startsWith('oauth_');
      if (refusal) this.#credentials.queueRefusal(usable.credential, 'grant', origin);
      throw error;
    }
  }

  async #grant(usable: UsableCredential, wish: Wish, origin: RequestOrigin): Promise<Grant> {
    if (wish.refreshToken !== null) return this.#refresh(usable, wish, wish.refreshToken, origin);
    const { credential } = usable;
    return credential.kind === 'pat'
      ? this.#userGrant(credential, origin)
      : this.#clientGrant(usable, credential, wish, origin);
  }

  /** Records a successful sign-in in the caller's transaction. */
  #recordSignIn(records: WritableRecords, signIn: SignIn): Promise<void> {
    const event = signInEvent(signIn, { now: this.#clock.now(), random: this.#random });
    return recordAuditEvents(records, signIn.tenantId, [event]);
  }

  /**
   * Updates the user's sign-in times and the token's last use. While the store is read-only, users
   * can still sign in.
   */
  async #userGrant(
    token: TenantCredential<PersonalAccessToken>,
    origin: RequestOrigin,
  ): Promise<Grant> {
    const { tenantId, id, ownerId, scope, accessTokenValiditySeconds } = token;
    let user: AuthUser | null;
    try {
      user = await this.#store.write((records) => this.#recordUse(records, id, origin));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error;
      user = await this.#store.read.authUser(tenantId, ownerId);
      if (user !== null) this.#signIns?.enqueue(signInOf(token, user, null, origin));
    }
    if (user === null) throw badClient();
    return {
      ...{ tenantId, clientId: id, strategy: 'pat', user, scope },
      lifetimeSeconds: accessTokenValiditySeconds,
    };
  }

  /** null when the token or its owner was deleted since the secret was checked. */
  async #recordUse(
    records: WritableRecords,
    id: string,
    origin: RequestOrigin,
  ): Promise<AuthUser | null> {
    const token = await records.credentialById(id);
    if (token?.kind !== 'pat') return null;
    const { tenantId } = token;
    const user = await records.authUser(tenantId, token.ownerId);
    if (user === null) return null;
    const now = this.#clock.now();
    await noteUse(records, token, now);
    const signedIn = {
      ...user,
      lastLoginTimestamp: user.currentLoginTimestamp,
      currentLoginTimestamp: now,
    };
    await records.putAuthUsers(tenantId, [signedIn]);
    await this.#recordSignIn(records, signInOf(token, user, null, origin));
    return signedIn;
  }

  /**
   * Grants a token to an API client, with a refresh token where it has that grant, since this is
   * the only way to get the first one. While the store is read-only, clients can still sign in, but
   * get no refresh token.
   */
  async #clientGrant(
    { scopes, issuedMs }: UsableCredential,
    client: Client,
    wish: Wish,
    origin: RequestOrigin,
  ): Promise<Grant> {
    if (!allows(client, 'CLIENT_CREDENTIALS')) throw notAllowed('client_credentials');
    const signIn = signInOf(client, null, null, origin);
    if (!allows(client, 'REFRESH_TOKEN') && !isFirstUseToday(client, this.#clock.now())) {
      this.#signIns?.enqueue(signIn);
      return clientGrant(client);
    }
    try {
      return await this.#store.write(async (records) => {
        const current = await liveClient(records, client);
        await noteUse(records, current, this.#clock.now());
        await this.#recordSignIn(records, signIn);
        if (!allows(current, 'REFRESH_TOKEN')) return clientGrant(current);
        const issuing = { now: issuedMs, random: this.#random };
        const scope = wish.scopes === null ? null : granted(scopes, wish);
        const { tenantId } = current;
        const refreshToken = await issueRefreshToken(records, tenantId, current, scope, issuing);
        return { ...clientGrant(current), refreshToken };
      });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error;
      this.#signIns?.enqueue(signIn);
      return clientGrant(client);
    }
  }

  async #refresh(
    { credential: client, validFrom, scopes: remaining }: UsableCredential,
    wish: Wish,
    value: string,
    origin: RequestOrigin,
  ): Promise<Grant> {
    if (client.kind === 'pat' || !allows(client, 'REFRESH_TOKEN')) {
      throw notAllowed('refresh_token');
    }
    const { tenantId } = client;
    // Return null instead of throwing: a reused family must stay deleted, so the transaction has to
    // commit.
    const grant = await this.#store.write(async (records) => {
      const current = await liveClient(records, client);
      if (!allows(current, 'REFRESH_TOKEN')) return null;
      const issuing = { now: this.#clock.now(), random: this.#random, validFrom, origin };
      const successor = await rotateRefreshToken(records, tenantId, current, value, issuing);
      if (successor === null) return null;
      const { value: refreshToken, scope } = successor;
      const grant = clientGrant(current);
      const scopes = scope === null ? grant.scope : commonScopes(scope, grant.scope);
      // A request for none of them leaves the old token valid: the transaction fails.
      granted(commonScopes(scopes, remaining), wish);
      await noteUse(records, current, this.#clock.now());
      await this.#recordSignIn(records, signInOf(client, null, null, origin));
      return { ...grant, scope: scopes, refreshToken };
    });
    if (grant === null) throw badGrant();
    return grant;
  }

  async #toResponse(
    grant: Grant,
    { issuedMs }: Pick<UsableCredential, 'issuedMs'>,
  ): Promise<Record<string, unknown>> {
    const tenant = await this.#store.read.tenantById(grant.tenantId);
    if (tenant === null) throw badClient();
    const issuedAt = Math.floor(issuedMs / 1000);
    const family = refreshFamilyOf(grant.refreshToken ?? '');
    const shared = { ...sharedMembers(grant, tenant), jti: newId(this.#random) };
    const payload: JWTPayload = {
      ...shared,
      scope: [...grant.scope],
      authorities: [...(grant.user?.capabilities ?? [])],
      client_id: grant.clientId,
      strategy: grant.strategy,
      ...(family === null ? {} : { [FAMILY_CLAIM]: family }),
      iss: this.#own.issuer,
      aud: this.#own.audience,
      iat: issuedAt,
      exp: issuedAt + grant.lifetimeSeconds,
    };
    const { kid, key } = await this.#keys.active();
    return {
      access_token: await signToken(payload, kid, key),
      token_type: 'bearer',
      expires_in: grant.lifetimeSeconds,
      scope: grant.scope.join(' '),
      ...shared,
      claims_supported: false,
      ...(grant.refreshToken === undefined ? {} : { refresh_token: grant.refreshToken }),
    };
  }
}

/** The members that the response and the token share, spelt as on the wire. */
function sharedMembers(grant: Grant, tenant: Tenant): Record<string, unknown> {
  const { user } = grant;
  return {
    tenant_id: tenant.id,
    org: tenant.name,
    pod: tenant.pod,
    internal: false,
    enabled: true,
    strong_auth: false,
    strong_auth_supported: false,
    ...(grant.accessType === undefined ? {} : { accessType: grant.accessType }),
    ...(user === null ? {} : { identity_id: user.id, user_id: user.id, user_name: user.uid }),
  };
}

/**
 * The client as of this transaction: it may have changed since its secret was checked.
 * @throws ServiceError `oauth_invalid_client` when it was deleted or disabled
 */
async function liveClient(records: WritableRecords, { tenantId, id }: Client): Promise<Client> {
  const client = await records.credentialById(id);
  if (client?.tenantId === tenantId && client.kind === 'client' && client.enabled) return client;
  throw badClient();
}

function clientGrant(client: Client): Grant {
  const { tenantId, id: clientId, accessType, scope } = client;
  return {
    ...{ tenantId, clientId, strategy: 'client', user: null, accessType, scope },
    lifetimeSeconds: client.accessTokenValiditySeconds,
  };
}

/**
 * The names of the parameter `scope` (RFC 6749 section 3.3).
 * @returns null without one: all scopes of the credential are requested
 */
function requestedScopes(parameter: string | undefined): readonly string[] | null {
  const names = (parameter ?? '').split(/\s+/).filter((name) => name !== '');
  return names.length === 0 ? null : names;
}

/**
 * The scopes that a request gets of those it may have.
 * @throws ServiceError `oauth_invalid_scope` if it names only others
 */
function granted(scopes: readonly string[], wish: Wish): readonly string[] {
  if (wish.scopes === null) return scopes;
  const narrowed = narrowedScopes(scopes, wish.scopes);
  if (narrowed.length > 0) return narrowed;
  throw new ServiceError(
    'oauth_invalid_scope',
    'The credential has none of the requested scopes. Without the parameter scope the token gets all that it has.',
  );
}

function allows(client: OAuthClient, grantType: string): boolean {
  return client.grantTypes.includes(grantType);
}

function badGrant(): ServiceError {
  return new ServiceError(
    'oauth_invalid_grant',
    'The refresh token is unknown, was used before, has expired or belongs to another client.',
  );
}

function notAllowed(grantType: string): ServiceError {
  return new ServiceError(
    'oauth_unauthorized_client',
    `This client may not use the grant type ${grantType}.`,
  );
}
