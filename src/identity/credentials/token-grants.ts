// The token endpoint: exchanges credentials for access tokens (RFC 6749; contract/auth-users.md
// section 6). A personal access token yields a user's token; an API client's secret yields an app
// token, with a refresh token where the client has that grant. The authorization code grant needs a
// sign-in page and is not offered.
// Invariant: every wrong id or secret gets the same response after the same time.
import { randomBytes } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { commonScopes } from '../../auth/access.ts';
import type { RequestOrigin } from '../../auth/caller.ts';
import { FAMILY_CLAIM, type Strategy } from '../../auth/claims.ts';
import type { Clock } from '../../auth/clock.ts';
import { DEFAULT_GUESS_LIMITS, Guesses, localGuesses } from '../../auth/guesses.ts';
import { signToken } from '../../auth/jwt.ts';
import { NO_SECRET_HASH, newId, type RandomBytes, verifySecret } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/audit-event.ts';
import type {
  AuthUser,
  OAuthClient,
  PersonalAccessToken,
  Store,
  Tenant,
  WritableRecords,
} from '../ports/store.ts';
import { boundsOfClient, boundsOfToken, type CredentialBounds } from './credential-bounds.ts';
import { issueRefreshToken, refreshFamilyOf, rotateRefreshToken } from './refresh-tokens.ts';
import { SIGN_IN_CODE_GRANT, type SignInCodes } from './sign-in-codes.ts';
import { type SignIn, type SignIns, signInEvent } from './sign-ins.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { OwnIssuer } from './token-check.ts';

/** Id and secret as sent by HTTP Basic. */
export interface BasicCredentials {
  readonly id: string;
  readonly secret: string;
}

/** A credential as stored. */
export type Credential =
  | { readonly kind: 'pat'; readonly tenantId: string; readonly token: PersonalAccessToken }
  | { readonly kind: 'client'; readonly tenantId: string; readonly client: OAuthClient };

/** A credential that has been authenticated and may be used. */
export type UsableCredential = Credential & {
  /** The scopes that remain to it and to the credentials that created it. */
  readonly scopes: readonly string[];
};

/** The result of looking up an id and secret. */
interface Match {
  /** null when the id or secret is wrong. */
  readonly credential: Credential | null;
  /** The credential with that id, whether or not the secret is right. */
  readonly owner: Credential | null;
}

/** The content of a token to be issued. */
interface Grant {
  readonly tenantId: string;
  readonly clientId: string;
  readonly strategy: Strategy;
  /** null for API clients. */
  readonly user: AuthUser | null;
  /** Epoch seconds: tokens with an earlier `iat` are rejected. */
  readonly validFrom: number;
  /** For API clients only. */
  readonly accessType?: OAuthClient['accessType'];
  readonly scope: readonly string[];
  readonly lifetimeSeconds: number;
  readonly refreshToken?: string;
}

const DAY_MS = 86_400_000;

const GRANTS: ReadonlySet<string> = new Set(['client_credentials', 'refresh_token']);
const CLIENT_ID = /^[\x21-\x7e]{1,128}$/;
const MAX_SECRET_LENGTH = 1024;

/** Issues access tokens. */
export class TokenGrants {
  readonly #store: Store;
  readonly #keys: SigningKeys;
  readonly #clock: Clock;
  readonly #own: OwnIssuer;
  readonly #guesses: Guesses;
  readonly #signIns: SignIns | null;
  readonly #codes: SignInCodes | null;
  /** Groups the writes of user grants, each of which writes. */
  readonly #random: RandomBytes;

  constructor(
    store: Store,
    keys: SigningKeys,
    clock: Clock,
    own: OwnIssuer,
    options: {
      readonly guesses?: Guesses;
      readonly signIns?: SignIns;
      readonly signInCodes?: SignInCodes;
      readonly random?: RandomBytes;
    } = {},
  ) {
    this.#store = store;
    this.#keys = keys;
    this.#clock = clock;
    this.#own = own;
    this.#guesses = options.guesses ?? new Guesses(localGuesses(DEFAULT_GUESS_LIMITS, clock));
    this.#signIns = options.signIns ?? null;
    this.#codes = options.signInCodes ?? null;
    this.#random = options.random ?? randomBytes;
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
    const origin = { address: remoteAddress, requestId };
    if (grantType === SIGN_IN_CODE_GRANT && this.#codes?.isOffered === true) {
      const credential = await this.#ofCode(required('code', parameters['code']), origin);
      return this.#respond(credential, null, origin);
    }
    if (!GRANTS.has(grantType)) {
      throw new ServiceError(
        'oauth_unsupported_grant_type',
        'The grant types offered are client_credentials and refresh_token.',
      );
    }
    const refreshToken =
      grantType === 'refresh_token' ? required('refresh_token', parameters['refresh_token']) : null;
    const credential = await this.authenticate(parameters, basic, origin);
    return this.#respond(credential, refreshToken, origin);
  }

  async #respond(
    credential: UsableCredential,
    refreshToken: string | null,
    origin: RequestOrigin,
  ): Promise<Record<string, unknown>> {
    try {
      const grant = await this.#grant(credential, refreshToken, origin);
      const scope = commonScopes(grant.scope, credential.scopes);
      return await this.#toResponse({ ...grant, scope });
    } catch (error) {
      const refusal = error instanceof ServiceError && error.code.startsWith('oauth_');
      if (refusal) this.#queueSignIn(credential, 'grant', origin);
      throw error;
    }
  }

  /**
   * Checks the id and secret of a request.
   * @param parameters `client_id` and `client_secret`; they take precedence over `basic`
   * @throws ServiceError `oauth_invalid_request`, `oauth_invalid_client`, `rate_limited`,
   * `unavailable`
   */
  authenticate(
    parameters: Readonly<Record<string, string>>,
    basic: BasicCredentials | null,
    origin: RequestOrigin,
  ): Promise<UsableCredential> {
    const id = required('client_id', parameters['client_id'] || basic?.id);
    const secret = required('client_secret', parameters['client_secret'] || basic?.secret);
    return this.#authenticate(id, secret, origin);
  }

  async #grant(
    credential: Credential,
    refreshToken: string | null,
    origin: RequestOrigin,
  ): Promise<Grant> {
    if (refreshToken !== null) return this.#refresh(credential, refreshToken, origin);
    return credential.kind === 'pat'
      ? this.#userGrant(credential.tenantId, credential.token, origin)
      : this.#clientGrant(credential.tenantId, credential.client, origin);
  }

  /** A correct secret is accepted whatever failed before: only failures are counted. */
  async #authenticate(
    id: string,
    secret: string,
    origin: RequestOrigin,
  ): Promise<UsableCredential> {
    const { credential, owner } = await this.#match(id, secret);
    if (credential === null) {
      await this.#guesses.failed(origin.address);
      if (owner !== null) this.#queueSignIn(owner, 'secret', origin);
      throw badClient();
    }
    return this.#usable(credential, origin);
  }

  /** The credential of a code that `cardea demo` has printed. */
  async #ofCode(code: string, origin: RequestOrigin): Promise<UsableCredential> {
    const id = this.#codes?.redeem(code) ?? null;
    const pat = id === null ? null : await this.#store.read.tokenById(id);
    if (pat !== null) return this.#usable({ kind: 'pat', ...pat }, origin);
    await this.#guesses.failed(origin.address);
    throw new ServiceError('oauth_invalid_grant', 'The link was used before or has expired.');
  }

  /** Refuses a credential that has ended or whose owner is disabled. */
  async #usable(credential: Credential, origin: RequestOrigin): Promise<UsableCredential> {
    const { ends, scopes } = await boundsOfCredential(this.#store.read, credential);
    if (ends <= this.#clock.now() || (await this.#ownerIsDisabled(credential))) {
      await this.#guesses.failed(origin.address);
      this.#queueSignIn(credential, 'ended', origin);
      throw badClient();
    }
    return { ...credential, scopes };
  }

  async #ownerIsDisabled(credential: Credential): Promise<boolean> {
    if (credential.kind === 'client') return false;
    const { tenantId, token } = credential;
    return (await this.#store.read.userStatus(tenantId, token.ownerId))?.enabled === false;
  }

  async #match(id: string, secret: string): Promise<Match> {
    if (!CLIENT_ID.test(id) || secret.length > MAX_SECRET_LENGTH) {
      return { credential: null, owner: null };
    }
    const { read } = this.#store;
    const [pat, client] = await Promise.all([read.tokenById(id), read.clientById(id)]);
    const owner: Credential | null =
      pat !== null
        ? { kind: 'pat', ...pat }
        : client !== null
          ? { kind: 'client', ...client }
          : null;
    const hash = pat?.token.secretHash ?? client?.client.secretHash ?? NO_SECRET_HASH;
    return { credential: verifySecret(secret, hash) ? owner : null, owner };
  }

  /** Queues the sign-in for the audit trail, outside the request. */
  #queueSignIn(credential: Credential, reason: SignIn['reason'], origin: RequestOrigin): void {
    this.#signIns?.enqueue(signInOf(credential, null, reason, origin));
  }

  /** Records a successful sign-in in the caller's transaction. */
  #recordSignIn(records: WritableRecords, signIn: SignIn): Promise<void> {
    const event = signInEvent(signIn, { now: this.#clock.now(), random: this.#random });
    return recordAuditEvent(records, signIn.tenantId, event);
  }

  /**
   * Updates the user's sign-in times and the token's last use. While the store is read-only, users
   * can still sign in.
   */
  async #userGrant(
    tenantId: string,
    token: PersonalAccessToken,
    origin: RequestOrigin,
  ): Promise<Grant> {
    let user: AuthUser | null;
    try {
      user = await this.#store.write((records) =>
        this.#recordUse(records, tenantId, token.id, origin),
      );
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error;
      user = await this.#store.read.authUser(tenantId, token.ownerId);
      if (user !== null) {
        this.#signIns?.enqueue(signInOf({ kind: 'pat', tenantId, token }, user, null, origin));
      }
    }
    if (user === null) throw badClient();
    const status = await this.#store.read.userStatus(tenantId, user.id);
    return {
      tenantId,
      clientId: token.id,
      strategy: 'pat',
      user,
      validFrom: status?.tokensValidFrom ?? 0,
      scope: token.scope,
      lifetimeSeconds: token.accessTokenValiditySeconds,
    };
  }

  /** null when the token or its owner was deleted since the secret was checked. */
  async #recordUse(
    records: WritableRecords,
    tenantId: string,
    id: string,
    origin: RequestOrigin,
  ): Promise<AuthUser | null> {
    const record = await records.tokenById(id);
    if (record === null || record.tenantId !== tenantId) return null;
    const { token } = record;
    const user = await records.authUser(tenantId, token.ownerId);
    if (user === null) return null;
    const now = this.#clock.now();
    if (this.#isFirstUseToday(token)) {
      await records.updateToken(tenantId, { ...token, lastUsed: new Date(now).toISOString() });
    }
    const signedIn = {
      ...user,
      lastLoginTimestamp: user.currentLoginTimestamp,
      currentLoginTimestamp: now,
    };
    await records.putAuthUsers(tenantId, [signedIn]);
    await this.#recordSignIn(
      records,
      signInOf({ kind: 'pat', tenantId, token }, user, null, origin),
    );
    return signedIn;
  }

  /**
   * Grants a token to an API client, with a refresh token where it has that grant, since this is
   * the only way to get the first one. While the store is read-only, clients can still sign in, but
   * get no refresh token.
   */
  async #clientGrant(tenantId: string, client: OAuthClient, origin: RequestOrigin): Promise<Grant> {
    if (!allows(client, 'CLIENT_CREDENTIALS')) throw notAllowed('client_credentials');
    const refreshes = allows(client, 'REFRESH_TOKEN');
    const signIn = signInOf({ kind: 'client', tenantId, client }, null, null, origin);
    if (!refreshes && !this.#isFirstUseToday(client)) {
      this.#signIns?.enqueue(signIn);
      return clientGrant(tenantId, client);
    }
    try {
      return await this.#store.write(async (records) => {
        const current = await liveClient(records, tenantId, client.id);
        await this.#recordClientUse(records, tenantId, current);
        await this.#recordSignIn(records, signIn);
        const issuing = { now: this.#clock.now(), random: this.#random };
        return allows(current, 'REFRESH_TOKEN')
          ? clientGrant(
              tenantId,
              current,
              await issueRefreshToken(records, tenantId, current, issuing),
            )
          : clientGrant(tenantId, current);
      });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error;
      this.#signIns?.enqueue(signIn);
      return clientGrant(tenantId, client);
    }
  }

  async #refresh(credential: Credential, value: string, origin: RequestOrigin): Promise<Grant> {
    if (credential.kind === 'pat' || !allows(credential.client, 'REFRESH_TOKEN')) {
      throw notAllowed('refresh_token');
    }
    const { client, tenantId } = credential;
    // Return null instead of throwing: a reused family must stay deleted, so the transaction has to
    // commit.
    const grant = await this.#store.write(async (records) => {
      const current = await liveClient(records, tenantId, client.id);
      if (!allows(current, 'REFRESH_TOKEN')) return null;
      const issuing = { now: this.#clock.now(), random: this.#random, origin };
      const successor = await rotateRefreshToken(records, tenantId, current, value, issuing);
      if (successor === null) return null;
      await this.#recordClientUse(records, tenantId, current);
      await this.#recordSignIn(records, signInOf(credential, null, null, origin));
      return clientGrant(tenantId, current, successor);
    });
    if (grant === null) throw badGrant();
    return grant;
  }

  /** Updates the last use of a client, at most once a day. */
  async #recordClientUse(
    records: WritableRecords,
    tenantId: string,
    client: OAuthClient,
  ): Promise<void> {
    if (!this.#isFirstUseToday(client)) return;
    const lastUsed = new Date(this.#clock.now()).toISOString();
    await records.updateClient(tenantId, { ...client, lastUsed });
  }

  #isFirstUseToday({ lastUsed }: Pick<OAuthClient, 'lastUsed'>): boolean {
    return lastUsed === null || this.#clock.now() - Date.parse(lastUsed) >= DAY_MS;
  }

  async #toResponse(grant: Grant): Promise<Record<string, unknown>> {
    const tenant = await this.#store.read.tenantById(grant.tenantId);
    if (tenant === null) throw badClient();
    const issuedAt = Math.max(Math.floor(this.#clock.now() / 1000), grant.validFrom);
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

function signInOf(
  credential: Credential,
  user: AuthUser | null,
  reason: SignIn['reason'],
  origin: RequestOrigin,
): SignIn {
  const { tenantId } = credential;
  const { id, name } = credential.kind === 'pat' ? credential.token : credential.client;
  return { tenantId, name, clientId: id, user, reason, origin };
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
async function liveClient(
  records: WritableRecords,
  tenantId: string,
  id: string,
): Promise<OAuthClient> {
  const record = await records.clientById(id);
  if (record?.tenantId !== tenantId || !record.client.enabled) throw badClient();
  return record.client;
}

function clientGrant(tenantId: string, client: OAuthClient, refreshToken?: string): Grant {
  return {
    tenantId,
    clientId: client.id,
    strategy: 'client',
    user: null,
    validFrom: 0,
    accessType: client.accessType,
    scope: client.scope,
    lifetimeSeconds: client.accessTokenValiditySeconds,
    ...(refreshToken === undefined ? {} : { refreshToken }),
  };
}

function boundsOfCredential(
  records: Store['read'],
  credential: Credential,
): Promise<CredentialBounds> {
  const { tenantId } = credential;
  return credential.kind === 'pat'
    ? boundsOfToken(records, tenantId, credential.token)
    : boundsOfClient(records, tenantId, credential.client);
}

function allows(client: OAuthClient, grantType: string): boolean {
  return client.grantTypes.includes(grantType);
}

/** @throws ServiceError `oauth_invalid_request` when the parameter is missing or empty */
export function required(name: string, value: string | undefined): string {
  if (value === undefined || value === '') {
    throw new ServiceError('oauth_invalid_request', `The parameter ${name} is missing.`);
  }
  return value;
}

function badClient(): ServiceError {
  return new ServiceError(
    'oauth_invalid_client',
    'The client id or secret is wrong, or the credential has expired or is disabled.',
  );
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
