// Tokens as the rest of the service sees them: issue, judge, introspect and revoke them, publish the keys, describe the
// endpoints. token-grants.ts issues, token-check.ts judges; both share the signing keys.
import type { Caller } from '../../auth/caller.ts';
import { type Clock, systemClock } from '../../auth/clock.ts';
import type { ExternalIssuers } from '../../auth/external-issuers.ts';
import type { Guesses } from '../../auth/guesses.ts';
import type { RandomBytes } from '../../auth/secrets.ts';
import { ServiceError } from '../../errors.ts';
import type { Store } from '../ports/store.ts';
import type { SignIns } from './sign-ins.ts';
import { type KeySet, SigningKeys } from './signing-keys.ts';
import { TokenCheck } from './token-check.ts';
import { TokenGrants } from './token-grants.ts';
import { TokenInspection, type TokenQuestion } from './token-inspection.ts';

/** Settings of the token service; all have defaults. */
export interface TokenOptions {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** `iss` of the tokens issued here; must not change while tokens are in use. Default `cardea`. */
  readonly issuer?: string;
  /** `aud` of the tokens issued here. Default `cardea`. */
  readonly audience?: string;
  /** Whose tokens are taken beside our own. */
  readonly externalIssuers?: ExternalIssuers;
  /** Who counts wrong secrets; this process, within the default bounds, when left out. */
  readonly guesses?: Guesses;
  /** Where sign-ins that failed are written down; nowhere when left out. */
  readonly signIns?: SignIns;
  /** Name of the tenant that `info` describes to strangers where there are several; none when left out. */
  readonly infoTenant?: string;
}

/** The default of `iss` and `aud`. */
export const DEFAULT_ISSUER = 'cardea';

/** Issues and judges access tokens. */
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
    this.#grants = new TokenGrants(store, this.#keys, clock, own, options);
    this.#check = new TokenCheck(store, this.#keys, clock, own, options.externalIssuers ?? null);
    const { random } = options;
    const parts = { store, own, clock, grants: this.#grants, check: this.#check };
    this.#inspection = new TokenInspection({
      ...parts,
      ...(random === undefined ? {} : { random }),
    });
  }

  /** One request to the token endpoint; see TokenGrants.issue. */
  issue(
    parameters: Readonly<Record<string, string>>,
    basic: TokenQuestion['basic'],
    remoteAddress: string,
    requestId?: string,
  ): Promise<Record<string, unknown>> {
    return this.#grants.issue(parameters, basic, remoteAddress, requestId);
  }

  /** Who sent a request; see TokenCheck.verify. */
  verify(authorization: string | undefined): Promise<Caller> {
    return this.#check.verify(authorization);
  }

  /** What a token is; see TokenInspection.introspect. */
  introspect(question: TokenQuestion): Promise<Record<string, unknown>> {
    return this.#inspection.introspect(question);
  }

  /** Ends a token; see TokenInspection.revoke. */
  revoke(question: TokenQuestion): Promise<void> {
    return this.#inspection.revoke(question);
  }

  /** The public keys, for others who want to check our tokens. */
  jwks(): Promise<KeySet> {
    return this.#keys.published();
  }

  /**
   * What `GET /oauth/info` answers: where the endpoints are, and the tenant.
   * @param baseUrl as the client reached the service, without a slash at the end
   * @param authorization the header, where one was sent: its tenant is described; without a valid one the only tenant, and
   *   of several none, since a stranger need not learn their names
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
  /** null where the token is refused. */
  #callerOf(authorization: string): Promise<Caller | null> {
    return this.verify(authorization).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code.startsWith('token_')) return null;
      throw error;
    });
  }
}
