// The token service: issues, verifies, introspects and revokes tokens, publishes the keys and
// describes the endpoints. credential-check.ts checks ids and secrets, token-grants.ts issues and
// token-check.ts verifies tokens; these two share the signing keys.
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { ExternalIssuers } from '../../auth/external-issuers.ts';
import { DEFAULT_GUESS_LIMITS, Guesses, localGuesses } from '../../auth/guesses.ts';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { Store } from '../ports/store.ts';
import { type BasicCredentials, CredentialCheck } from './credential-check.ts';
import type { SignInCodeSource } from './sign-in-codes.ts';
import type { SignIns } from './sign-ins.ts';
import { type KeySet, SigningKeys } from './signing-keys.ts';
import { TokenCheck } from './token-check.ts';
import { TokenGrants } from './token-grants.ts';
import { TokenInspection, type TokenInspectionRequest } from './token-inspection.ts';

/** Settings of the token service; all have defaults. */
export interface TokenOptions {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** `iss` of the tokens issued here; must not change while tokens are in use. Default `cardea`. */
  readonly issuer?: string;
  /** `aud` of the tokens issued here. Default `cardea`. */
  readonly audience?: string;
  /** External issuers whose tokens are accepted. */
  readonly externalIssuers?: ExternalIssuers;
  /** Counter of wrong secrets; in process with the default limits when omitted. */
  readonly guesses?: Guesses;
  /** Records failed sign-ins; none when omitted. */
  readonly signIns?: SignIns;
  /** Codes of sign-in links; none when omitted. */
  readonly signInCodes?: SignInCodeSource;
  /**
   * Name of the tenant that `info` describes to anonymous callers when there are several; none when
   * omitted.
   */
  readonly infoTenant?: string;
}

/** The default of `iss` and `aud`. */
const DEFAULT_ISSUER = 'cardea';

/** Whom a token belongs to, with the names of the claims of the service's own tokens. */
export interface UserInfo {
  /** The identity, or the client if the token belongs to no person. */
  readonly sub: string;
  readonly tenant_id: string;
  /** Name of the tenant. */
  readonly org: string;
  readonly identity_id: string | null;
  readonly user_name: string | null;
  readonly client_id: string;
  /** The current capabilities. */
  readonly authorities: readonly string[];
  readonly scope: readonly string[];
  /** ISO 8601: end of the credential behind the token, or of a token of another issuer. */
  readonly credential_ends: string | null;
  /** An extension: the names of the views that restrict the token; absent without any. */
  readonly views?: readonly string[];
}

/** Issues and verifies access tokens. */
export class TokenService {
  readonly #store: Store;
  readonly #keys: SigningKeys;
  readonly #grants: TokenGrants;
  readonly #check: TokenCheck;
  readonly #inspection: TokenInspection;
  readonly #infoTenant: string | undefined;

  constructor(store: Store, options: TokenOptions = {}) {
    const { clock = systemClock, issuer = DEFAULT_ISSUER, audience = DEFAULT_ISSUER } = options;
    const own = { issuer, audience };
    this.#store = store;
    this.#infoTenant = options.infoTenant;
    this.#keys = new SigningKeys(store, clock);
    const { signIns = null, signInCodes: codes = null, random = randomBytes } = options;
    const guesses = options.guesses ?? new Guesses(localGuesses(DEFAULT_GUESS_LIMITS, clock));
    const credentials = new CredentialCheck({ store, clock, guesses, signIns, codes });
    const shared = { store, clock, own, credentials, random };
    this.#grants = new TokenGrants({ ...shared, keys: this.#keys, signIns });
    this.#check = new TokenCheck(store, this.#keys, clock, own, options.externalIssuers ?? null);
    this.#inspection = new TokenInspection({ ...shared, check: this.#check });
  }

  /** Handles a request to the token endpoint; see TokenGrants.issue. */
  issue(
    parameters: Readonly<Record<string, string>>,
    basic: BasicCredentials | null,
    remoteAddress: string,
    requestId?: string,
  ): Promise<Record<string, unknown>> {
    return this.#grants.issue(parameters, basic, remoteAddress, requestId);
  }

  /** Verifies the sender of a request; see TokenCheck.verify. */
  verify(authorization: string | undefined): Promise<Caller> {
    return this.#check.verify(authorization);
  }

  /** Describes a token; see TokenInspection.introspect. */
  introspect(request: TokenInspectionRequest): Promise<Record<string, unknown>> {
    return this.#inspection.introspect(request);
  }

  /** Revokes a token; see TokenInspection.revoke. */
  revoke(request: TokenInspectionRequest): Promise<void> {
    return this.#inspection.revoke(request);
  }

  /** The public keys, for clients that verify tokens themselves. */
  jwks(): Promise<KeySet> {
    return this.#keys.published();
  }

  /**
   * The response of `GET /oauth/info`: the endpoints and the tenant.
   * @param baseUrl as the client reached the service, without a trailing slash
   * @param authorization the header, if any. With a valid token its tenant is described; otherwise
   * the only tenant, and none of several, to keep their names from strangers
   */
  async info(baseUrl: string, authorization?: string): Promise<Record<string, string>> {
    const tenants = await this.#store.read.tenants();
    const caller = authorization === undefined ? null : await this.#callerOf(authorization);
    const tenant =
      caller === null
        ? tenants.find(({ name }, _at, { length }) => length === 1 || name === this.#infoTenant)
        : tenants.find(({ id }) => id === caller.tenantId);
    return {
      tenantId: tenant?.id ?? '',
      tenantName: tenant?.name ?? '',
      authorizeEndpoint: `${baseUrl}/oauth/authorize`,
      tokenEndpoint: `${baseUrl}/oauth/token`,
      cloudDomainUrl: baseUrl,
      logoutUrl: `${baseUrl}/logout`,
      pod: tenant?.pod ?? '',
    };
  }

  /** The response of `GET /oauth/userinfo`: claims of the caller's token, as they hold now. */
  async userInfo(caller: Caller): Promise<UserInfo> {
    const { tenantId, identityId, userName, clientId, capabilities, scopes, credentialEnds } =
      caller;
    const views = caller.views?.map(({ name }) => name);
    const tenant = await this.#store.read.tenantById(tenantId);
    return {
      sub: identityId ?? clientId,
      tenant_id: tenantId,
      org: tenant?.name ?? '',
      identity_id: identityId,
      user_name: userName,
      client_id: clientId,
      authorities: capabilities,
      scope: scopes,
      credential_ends: Number.isFinite(credentialEnds)
        ? new Date(credentialEnds).toISOString()
        : null,
      ...(views && { views }),
    };
  }

  /** null when the token is rejected. */
  #callerOf(authorization: string): Promise<Caller | null> {
    return this.verify(authorization).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code.startsWith('token_')) return null;
      throw error;
    });
  }
}
