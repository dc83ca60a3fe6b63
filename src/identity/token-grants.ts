// The token endpoint: credentials in, access token out (RFC 6749; contract/auth-users.md section 6). A personal
// access token gives a user's token, an API client's secret an app token. The authorization code grant needs a
// sign-in page and is not offered.
// Invariant: whatever is wrong with id or secret, the answer is the same and takes as long.
import { randomBytes } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { Strategy } from '../auth/claims.ts';
import type { Clock } from '../auth/clock.ts';
import { DEFAULT_GUESS_LIMITS, Guesses, localGuesses } from '../auth/guesses.ts';
import { signToken } from '../auth/jwt.ts';
import {
  fingerprint,
  NO_SECRET_HASH,
  newId,
  newSecret,
  type RandomBytes,
  verifySecret,
} from '../auth/secrets.ts';
import { ServiceError } from '../errors.ts';
import type { SignInFailure, SignInFailures } from './sign-in-failures.ts';
import type { SigningKeys } from './signing-keys.ts';
import type {
  AuthUser,
  OAuthClient,
  PersonalAccessToken,
  Store,
  Tenant,
  WritableRecords,
} from './store.ts';
import type { OwnIssuer } from './token-check.ts';

/** Id and secret as sent by HTTP Basic. */
export interface BasicCredentials {
  readonly id: string;
  readonly secret: string;
}

type Credential =
  | { readonly kind: 'pat'; readonly tenantId: string; readonly token: PersonalAccessToken }
  | { readonly kind: 'client'; readonly tenantId: string; readonly client: OAuthClient };

/** What is known of an id and secret that were sent. */
interface Match {
  /** null: not right. */
  readonly credential: Credential | null;
  /** Whose id it is, be the secret right or wrong; null: nobody's. */
  readonly known: Credential | null;
}

/** Everything a token says. */
interface Grant {
  readonly tenantId: string;
  readonly clientId: string;
  readonly strategy: Strategy;
  readonly user: AuthUser | null;
  readonly scope: readonly string[];
  readonly lifetimeSeconds: number;
  readonly refreshToken?: string;
}

/** Days a refresh token may lie unused. */
export const REFRESH_TOKEN_DAYS = 30;
export const DAY_MS = 86_400_000;

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
  readonly #failures: SignInFailures | null;
  readonly #random: RandomBytes;

  constructor(
    store: Store,
    keys: SigningKeys,
    clock: Clock,
    own: OwnIssuer,
    options: {
      readonly guesses?: Guesses;
      readonly failures?: SignInFailures;
      readonly random?: RandomBytes;
    } = {},
  ) {
    this.#store = store;
    this.#keys = keys;
    this.#clock = clock;
    this.#own = own;
    this.#guesses = options.guesses ?? new Guesses(localGuesses(DEFAULT_GUESS_LIMITS, clock));
    this.#failures = options.failures ?? null;
    this.#random = options.random ?? randomBytes;
  }

  /**
   * Answers one token request.
   * @param parameters query, body and form merged, the body winning
   * @param basic from the Authorization header; parameters win over it
   * @returns the body of the 200 answer
   * @throws ServiceError `oauth_*`, `rate_limited`, `unavailable`
   */
  async issue(
    parameters: Readonly<Record<string, string>>,
    basic: BasicCredentials | null,
    remoteAddress: string,
  ): Promise<Record<string, unknown>> {
    const grantType = required('grant_type', parameters['grant_type']).toLowerCase();
    if (!GRANTS.has(grantType)) {
      throw new ServiceError(
        'oauth_unsupported_grant_type',
        'The grant types offered are client_credentials and refresh_token.',
      );
    }
    const id = required('client_id', parameters['client_id'] || basic?.id);
    const secret = required('client_secret', parameters['client_secret'] || basic?.secret);
    const refreshToken =
      grantType === 'refresh_token' ? required('refresh_token', parameters['refresh_token']) : null;

    const credential = await this.#authenticate(id, secret, remoteAddress);
    try {
      return await this.#present(await this.#grant(credential, refreshToken));
    } catch (error) {
      const refusal = error instanceof ServiceError && error.code.startsWith('oauth_');
      if (refusal) this.#note(credential, 'grant', remoteAddress);
      throw error;
    }
  }

  async #grant(credential: Credential, refreshToken: string | null): Promise<Grant> {
    if (refreshToken !== null) return this.#refresh(credential, refreshToken);
    return credential.kind === 'pat'
      ? this.#userGrant(credential.tenantId, credential.token)
      : clientGrant(credential);
  }

  /** Concurrent guesses all pass the first check, so the lock is looked at again before anything is revealed. */
  async #authenticate(id: string, secret: string, remoteAddress: string): Promise<Credential> {
    await this.#guesses.check(remoteAddress, id);
    const { credential, known } = await this.#match(id, secret);
    if (credential === null) {
      await this.#guesses.failed(remoteAddress, id);
      if (known !== null) this.#note(known, 'secret', remoteAddress);
      throw badClient();
    }
    await this.#guesses.check(remoteAddress, id);
    if (!isLive(credential, this.#clock.now())) {
      await this.#guesses.failed(remoteAddress, id);
      this.#note(credential, 'ended', remoteAddress);
      throw badClient();
    }
    return credential;
  }

  async #match(id: string, secret: string): Promise<Match> {
    if (!CLIENT_ID.test(id) || secret.length > MAX_SECRET_LENGTH) {
      return { credential: null, known: null };
    }
    const { read } = this.#store;
    const [pat, client] = await Promise.all([read.tokenById(id), read.clientById(id)]);
    const known: Credential | null =
      pat !== null
        ? { kind: 'pat', ...pat }
        : client !== null
          ? { kind: 'client', ...client }
          : null;
    const hash = pat?.token.secretHash ?? client?.client.secretHash ?? NO_SECRET_HASH;
    return { credential: verifySecret(secret, hash) ? known : null, known };
  }

  #note(credential: Credential, reason: SignInFailure['reason'], remoteAddress: string): void {
    const { tenantId } = credential;
    const { id, name } = credential.kind === 'pat' ? credential.token : credential.client;
    this.#failures?.note({ tenantId, name, clientId: id, reason, remoteAddress });
  }

  /** The user's sign-in times and the token's last use move; a store that cannot write does not lock users out. */
  async #userGrant(tenantId: string, token: PersonalAccessToken): Promise<Grant> {
    let user: AuthUser | null;
    try {
      user = await this.#store.write((records) => this.#noteUse(records, tenantId, token.id));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error;
      user = await this.#store.read.authUser(tenantId, token.ownerId);
    }
    if (user === null) throw badClient();
    return {
      tenantId,
      clientId: token.id,
      strategy: 'pat',
      user,
      scope: token.scope,
      lifetimeSeconds: token.accessTokenValiditySeconds,
    };
  }

  /** Null where token or owner have gone since the secret was checked. */
  async #noteUse(records: WritableRecords, tenantId: string, id: string): Promise<AuthUser | null> {
    const found = await records.tokenById(id);
    if (found === null || found.tenantId !== tenantId) return null;
    const { token } = found;
    const user = await records.authUser(tenantId, token.ownerId);
    if (user === null) return null;
    const now = this.#clock.now();
    if (token.lastUsed === null || now - Date.parse(token.lastUsed) >= DAY_MS) {
      await records.updateToken(tenantId, { ...token, lastUsed: new Date(now).toISOString() });
    }
    const signedIn = {
      ...user,
      lastLoginTimestamp: user.currentLoginTimestamp,
      currentLoginTimestamp: now,
    };
    await records.putAuthUsers(tenantId, [signedIn]);
    return signedIn;
  }

  /** The old refresh token is spent and a new one given in the same transaction. */
  async #refresh(credential: Credential, value: string): Promise<Grant> {
    if (credential.kind === 'pat' || !allows(credential.client, 'REFRESH_TOKEN')) {
      throw notAllowed('refresh_token');
    }
    const { client, tenantId } = credential;
    const hash = fingerprint(value);
    const successor = newSecret(this.#random);
    const now = this.#clock.now();
    return this.#store.write(async (records) => {
      const found = await records.refreshToken(hash);
      const { token } = found ?? {};
      const usable =
        token !== undefined &&
        found?.tenantId === tenantId &&
        token.clientId === client.id &&
        Date.parse(token.expires) > now;
      if (!usable || !(await records.spendRefreshToken(hash))) throw badGrant();
      const user =
        token.identityId === null ? null : await records.authUser(tenantId, token.identityId);
      if (token.identityId !== null && user === null) throw badGrant();
      await records.addRefreshToken(tenantId, {
        ...token,
        hash: fingerprint(successor),
        expires: new Date(now + REFRESH_TOKEN_DAYS * DAY_MS).toISOString(),
      });
      return {
        tenantId,
        clientId: client.id,
        strategy: user === null ? 'client' : 'code',
        user,
        scope: token.scope,
        lifetimeSeconds: client.accessTokenValiditySeconds,
        refreshToken: successor,
      };
    });
  }

  async #present(grant: Grant): Promise<Record<string, unknown>> {
    const tenant = await this.#store.read.tenantById(grant.tenantId);
    if (tenant === null) throw badClient();
    const issuedAt = Math.floor(this.#clock.now() / 1000);
    const shared = { ...about(grant, tenant), jti: newId(this.#random) };
    const payload: JWTPayload = {
      ...shared,
      scope: [...grant.scope],
      authorities: [...(grant.user?.capabilities ?? [])],
      client_id: grant.clientId,
      strategy: grant.strategy,
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

/** What both the answer and the token say, in the spelling of the wire. */
function about(grant: Grant, tenant: Tenant): Record<string, unknown> {
  const { user } = grant;
  return {
    tenant_id: tenant.id,
    org: tenant.name,
    pod: tenant.pod,
    internal: false,
    enabled: true,
    strong_auth: false,
    strong_auth_supported: false,
    ...(grant.strategy === 'pat' ? {} : { accessType: 'OFFLINE' }),
    ...(user === null ? {} : { identity_id: user.id, user_id: user.id, user_name: user.uid }),
  };
}

function clientGrant(credential: Credential & { kind: 'client' }): Grant {
  const { client, tenantId } = credential;
  if (!allows(client, 'CLIENT_CREDENTIALS')) throw notAllowed('client_credentials');
  return {
    tenantId,
    clientId: client.id,
    strategy: 'client',
    user: null,
    scope: client.scope,
    lifetimeSeconds: client.accessTokenValiditySeconds,
  };
}

/** Whether it has neither expired nor been disabled. */
function isLive(credential: Credential, now: number): boolean {
  if (credential.kind === 'client') return credential.client.enabled;
  const { expirationDate } = credential.token;
  return expirationDate === null || Date.parse(expirationDate) > now;
}

function allows(client: OAuthClient, grantType: string): boolean {
  return client.grantTypes.some((held) => held.toUpperCase() === grantType);
}

function required(name: string, value: string | undefined): string {
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
    'The refresh token is unknown, spent, expired or belongs to another client.',
  );
}

function notAllowed(grantType: string): ServiceError {
  return new ServiceError(
    'oauth_unauthorized_client',
    `This client may not use the grant type ${grantType}.`,
  );
}
