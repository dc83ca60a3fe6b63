// Tokens as the rest of the service sees them: give one out, judge one, publish the keys, describe the endpoints.
// Giving out is token-grants.ts, judging is token-check.ts; both share the signing keys.
import type { Caller } from '../auth/caller.ts';
import { type Clock, systemClock } from '../auth/clock.ts';
import type { ExternalIssuers } from '../auth/external-issuers.ts';
import type { Guesses } from '../auth/guesses.ts';
import type { RandomBytes } from '../auth/secrets.ts';
import type { SignInFailures } from './sign-in-failures.ts';
import { type KeySet, SigningKeys } from './signing-keys.ts';
import type { Store } from './store.ts';
import { TokenCheck } from './token-check.ts';
import { type BasicCredentials, TokenGrants } from './token-grants.ts';

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
  readonly failures?: SignInFailures;
  /** Name of the tenant that `info` describes; the oldest one when left out. */
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
  readonly #infoTenant: string | undefined;

  constructor(store: Store, options: TokenOptions = {}) {
    const { clock = systemClock, issuer = DEFAULT_ISSUER, audience = DEFAULT_ISSUER } = options;
    const own = { issuer, audience };
    this.#store = store;
    this.#infoTenant = options.infoTenant;
    this.#keys = new SigningKeys(store, clock);
    this.#grants = new TokenGrants(store, this.#keys, clock, own, options);
    this.#check = new TokenCheck(store, this.#keys, clock, own, options.externalIssuers ?? null);
  }

  /** One request to the token endpoint; see TokenGrants.issue. */
  issue(
    parameters: Readonly<Record<string, string>>,
    basic: BasicCredentials | null,
    remoteAddress: string,
  ): Promise<Record<string, unknown>> {
    return this.#grants.issue(parameters, basic, remoteAddress);
  }

  /** Who sent a request; see TokenCheck.verify. */
  verify(authorization: string | undefined): Promise<Caller> {
    return this.#check.verify(authorization);
  }

  /** The public keys, for others who want to check our tokens. */
  jwks(): Promise<KeySet> {
    return this.#keys.published();
  }

  /**
   * What `GET /oauth/info` answers: where the endpoints are, and the tenant.
   * @param baseUrl as the client reached the service, without a slash at the end
   */
  async info(baseUrl: string): Promise<Record<string, string>> {
    const tenants = await this.#store.read.tenants();
    const named = tenants.find(({ name }) => name === this.#infoTenant);
    const oldest = [...tenants].sort((a, b) => Date.parse(a.created) - Date.parse(b.created))[0];
    const tenant = named ?? oldest;
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
}
