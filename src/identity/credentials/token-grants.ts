// The token endpoint: credentials in, access token out (RFC 6749; contract/auth-users.md section 6). A personal
// access token gives a user's token, an API client's secret an app token, with a refresh token where the client has that
// grant. The authorization code grant needs a sign-in page and is not offered.
// Invariant: whatever is wrong with id or secret, the answer is the same and takes as long.
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
import { GroupedWrites, type Recorded } from './grouped-writes.ts';
import { issueRefreshToken, refreshFamilyOf, rotateRefreshToken } from './refresh-tokens.ts';
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

/** A credential whose id and secret were right, and that may be used. */
export type UsableCredential = Credential & {
  /** The scopes that it and the credentials that created it have. */
  readonly scopes: readonly string[];
};

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
  /** null in the token of an API client. */
  readonly user: AuthUser | null;
  /** Epoch seconds: a token that says it was issued earlier would be refused. */
  readonly validFrom: number;
  /** Only in the token of an API client. */
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
  /** Of the grants of users, which all write. */
  readonly #writes: GroupedWrites;
  readonly #random: RandomBytes;

  constructor(
    store: Store,
    keys: SigningKeys,
    clock: Clock,
    own: OwnIssuer,
    options: {
      readonly guesses?: Guesses;
      readonly signIns?: SignIns;
      readonly random?: RandomBytes;
    } = {},
  ) {
    this.#store = store;
    this.#keys = keys;
    this.#clock = clock;
    this.#own = own;
    this.#guesses = options.guesses ?? new Guesses(localGuesses(DEFAULT_GUESS_LIMITS, clock));
    this.#signIns = options.signIns ?? null;
    this.#writes = new GroupedWrites(store);
    this.#random = options.random ?? randomBytes;
  }

  /**
   * Answers one token request.
   * @param parameters query, body and form merged, the body winning
   * @param basic from the Authorization header; parameters win over it
   * @param requestId of the request, for the audit trail
   * @returns the body of the 200 answer
   * @throws ServiceError `oauth_*`, `rate_limited`, `unavailable`
   */
  async issue(
    parameters: Readonly<Record<string, string>>,
    basic: BasicCredentials | null,
    remoteAddress: string,
    requestId = '',
  ): Promise<Record<string, unknown>> {
    const grantType = required('grant_type', parameters['grant_type']).toLowerCase();
    if (!GRANTS.has(grantType)) {
      throw new ServiceError(
        'oauth_unsupported_grant_type',
        'The grant types offered are client_credentials and refresh_token.',
      );
    }
    const refreshToken =
      grantType === 'refresh_token' ? required('refresh_token', parameters['refresh_token']) : null;
    const origin = { address: remoteAddress, requestId };
    const credential = await this.authenticate(parameters, basic, origin);
    try {
      const grant = await this.#grant(credential, refreshToken, origin);
      const scope = commonScopes(grant.scope, credential.scopes);
      return await this.#present({ ...grant, scope });
    } catch (error) {
      const refusal = error instanceof ServiceError && error.code.startsWith('oauth_');
      if (refusal) this.#note(credential, 'grant', origin);
      throw error;
    }
  }

  /**
   * Checks the id and secret of a request.
   * @param parameters `client_id` and `client_secret`; they win over `basic`
   * @throws ServiceError `oauth_invalid_request`, `oauth_invalid_client`, `rate_limited`, `unavailable`
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

  /** A right secret is taken however many wrong ones came from the address: only failures are counted. */
  async #authenticate(
    id: string,
    secret: string,
    origin: RequestOrigin,
  ): Promise<UsableCredential> {
    const { credential, known } = await this.#match(id, secret);
    if (credential === null) {
      await this.#guesses.failed(origin.address);
      if (known !== null) this.#note(known, 'secret', origin);
      throw badClient();
    }
    const { ends, scopes } = await boundsOfCredential(this.#store.read, credential);
    if (ends <= this.#clock.now() || (await this.#ownerIsDisabled(credential))) {
      await this.#guesses.failed(origin.address);
      this.#note(credential, 'ended', origin);
      throw badClient();
    }
    return { ...credential, scopes };
  }

  async #ownerIsDisabled(credential: Credential): Promise<boolean> {
    if (credential.kind === 'client') return false;
    const { tenantId, token } = credential;
    return (await this.#store.read.userStanding(tenantId, token.ownerId))?.enabled === false;
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

  /** Has the sign-in recorded a moment later, apart from the request. */
  #note(credential: Credential, reason: SignIn['reason'], origin: RequestOrigin): void {
    this.#signIns?.note(signInOf(credential, null, reason, origin));
  }

  /** Records a successful sign-in in the caller's transaction. */
  #record(records: WritableRecords, signIn: SignIn): Promise<void> {
    const event = signInEvent(signIn, { now: this.#clock.now(), random: this.#random });
    return recordAuditEvent(records, signIn.tenantId, event);
  }

  /** The user's sign-in times and the token's last use move; a store that cannot write does not lock users out. */
  async #userGrant(
    tenantId: string,
    token: PersonalAccessToken,
    origin: RequestOrigin,
  ): Promise<Grant> {
    let user: AuthUser | null;
    try {
      user = await this.#writes.write((records) =>
        this.#noteUse(records, tenantId, token.id, origin),
      );
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error;
      user = await this.#store.read.authUser(tenantId, token.ownerId);
      if (user !== null) {
        this.#signIns?.note(signInOf({ kind: 'pat', tenantId, token }, user, null, origin));
      }
    }
    if (user === null) throw badClient();
    const standing = await this.#store.read.userStanding(tenantId, user.id);
    return {
      tenantId,
      clientId: token.id,
      strategy: 'pat',
      user,
      validFrom: standing?.tokensValidFrom ?? 0,
      scope: token.scope,
      lifetimeSeconds: token.accessTokenValiditySeconds,
    };
  }

  /** Null where token or owner have gone since the secret was checked. */
  async #noteUse(
    records: WritableRecords,
    tenantId: string,
    id: string,
    origin: RequestOrigin,
  ): Promise<Recorded<AuthUser | null>> {
    const nobody = { value: null, tenantId, events: [] };
    const found = await records.tokenById(id);
    if (found === null || found.tenantId !== tenantId) return nobody;
    const { token } = found;
    const user = await records.authUser(tenantId, token.ownerId);
    if (user === null) return nobody;
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
    const signIn = signInOf({ kind: 'pat', tenantId, token }, user, null, origin);
    const event = signInEvent(signIn, { now, random: this.#random });
    return { value: signedIn, tenantId, events: [event] };
  }

  /**
   * A refresh token comes with it where the client has that grant: there is no other way to get the first one. A store that
   * cannot write does not lock clients out; then the refresh token is missing.
   */
  async #clientGrant(tenantId: string, client: OAuthClient, origin: RequestOrigin): Promise<Grant> {
    if (!allows(client, 'CLIENT_CREDENTIALS')) throw notAllowed('client_credentials');
    const refreshes = allows(client, 'REFRESH_TOKEN');
    const signIn = signInOf({ kind: 'client', tenantId, client }, null, null, origin);
    if (!refreshes && !this.#isFirstUseToday(client)) {
      this.#signIns?.note(signIn);
      return clientGrant(tenantId, client);
    }
    try {
      return await this.#store.write(async (records) => {
        const current = await liveClient(records, tenantId, client.id);
        await this.#noteClientUse(records, tenantId, current);
        await this.#record(records, signIn);
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
      this.#signIns?.note(signIn);
      return clientGrant(tenantId, client);
    }
  }

  async #refresh(credential: Credential, value: string, origin: RequestOrigin): Promise<Grant> {
    if (credential.kind === 'pat' || !allows(credential.client, 'REFRESH_TOKEN')) {
      throw notAllowed('refresh_token');
    }
    const { client, tenantId } = credential;
    // Null leaves the transaction without throwing: the deletion of a chain that was used twice must be kept.
    const grant = await this.#store.write(async (records) => {
      const current = await liveClient(records, tenantId, client.id);
      if (!allows(current, 'REFRESH_TOKEN')) return null;
      const issuing = { now: this.#clock.now(), random: this.#random, origin };
      const successor = await rotateRefreshToken(records, tenantId, current, value, issuing);
      if (successor === null) return null;
      await this.#noteClientUse(records, tenantId, current);
      await this.#record(records, signInOf(credential, null, null, origin));
      return clientGrant(tenantId, current, successor);
    });
    if (grant === null) throw badGrant();
    return grant;
  }

  /** Moves the last use of a client, at most once a day. */
  async #noteClientUse(
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

  async #present(grant: Grant): Promise<Record<string, unknown>> {
    const tenant = await this.#store.read.tenantById(grant.tenantId);
    if (tenant === null) throw badClient();
    const issuedAt = Math.max(Math.floor(this.#clock.now() / 1000), grant.validFrom);
    const family = refreshFamilyOf(grant.refreshToken ?? '');
    const shared = { ...about(grant, tenant), jti: newId(this.#random) };
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
    ...(grant.accessType === undefined ? {} : { accessType: grant.accessType }),
    ...(user === null ? {} : { identity_id: user.id, user_id: user.id, user_name: user.uid }),
  };
}

/**
 * The client as it is in this transaction: it may have changed since its secret was checked.
 * @throws ServiceError `oauth_invalid_client` where it was deleted or disabled
 */
async function liveClient(
  records: WritableRecords,
  tenantId: string,
  id: string,
): Promise<OAuthClient> {
  const found = await records.clientById(id);
  if (found?.tenantId !== tenantId || !found.client.enabled) throw badClient();
  return found.client;
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

/** @throws ServiceError `oauth_invalid_request` where the parameter is missing or empty */
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
