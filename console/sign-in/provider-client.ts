// The OpenID provider as the console uses it: authorization code with PKCE, renewal, sign-out.
// oauth4webapi checks state, nonce, issuer and the claims of the ID token. Loaded with the first
// sign-in.
// Invariant: a public client; nothing that the provider returns is stored.
import * as oauth from 'oauth4webapi';
import type { OpenIdSettings } from '../api/settings.ts';
import {
  busyProvider,
  ProviderFault,
  refusedByProvider,
  strangeAnswer,
  unreachableProvider,
} from './provider-fault.ts';
import type { ProviderFlow } from './provider-flow.ts';

/** The tokens that the provider issued. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** null after a renewal without one. */
  readonly idToken: string | null;
}

/** The address of the console, to which the provider returns. */
export const REDIRECT_URI = new URL('./', document.baseURI).href;
const TIMEOUT_MS = 15_000;

export class ProviderClient {
  readonly #settings: OpenIdSettings;
  readonly #client: oauth.Client;

  constructor(settings: OpenIdSettings) {
    this.#settings = settings;
    this.#client = { client_id: settings.clientId };
  }

  /**
   * Prepares a sign-in: the address to go to, and what to keep until the browser is back.
   * @param isFresh the provider must not sign the user in without asking
   * @throws ProviderFault
   */
  async prepare(hash: string, isFresh: boolean): Promise<{ address: URL; flow: ProviderFlow }> {
    if (!isSecureContext) {
      throw new ProviderFault(
        'This sign-in needs HTTPS',
        'Browsers offer the cryptography that it needs only to pages over HTTPS.',
        'Open the console by its https address.',
      );
    }
    const { authorization_endpoint: endpoint } = await this.#discover();
    if (endpoint === undefined) throw this.#lacks('authorization_endpoint');
    const flow = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
      hash,
    };
    const address = new URL(endpoint);
    const parameters = {
      ...this.#settings.parameters,
      response_type: 'code',
      client_id: this.#settings.clientId,
      redirect_uri: REDIRECT_URI,
      scope: this.#settings.scopes,
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      ...(isFresh ? { prompt: 'login' } : {}),
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return { address, flow };
  }

  /**
   * Exchanges the code of an answer for tokens.
   * @param answer the address with the parameters of the provider
   * @throws ProviderFault
   */
  async complete(answer: URL, flow: ProviderFlow): Promise<ProviderTokens> {
    const server = await this.#discover();
    const parameters = await translated(() =>
      oauth.validateAuthResponse(server, this.#client, answer, flow.state),
    );
    const response = await this.#send(() =>
      oauth.authorizationCodeGrantRequest(
        server,
        this.#client,
        oauth.None(),
        parameters,
        REDIRECT_URI,
        flow.verifier,
        this.#options(),
      ),
    );
    return tokensOf(
      await translated(() =>
        oauth.processAuthorizationCodeResponse(server, this.#client, response, {
          expectedNonce: flow.nonce,
          requireIdToken: true,
        }),
      ),
    );
  }

  /** Exchanges a refresh token for new tokens. @throws ProviderFault */
  async renew(refreshToken: string): Promise<ProviderTokens> {
    const server = await this.#discover();
    const response = await this.#send(() =>
      oauth.refreshTokenGrantRequest(
        server,
        this.#client,
        oauth.None(),
        refreshToken,
        this.#options(),
      ),
    );
    const tokens = await translated(() =>
      oauth.processRefreshTokenResponse(server, this.#client, response),
    );
    return tokensOf({ refresh_token: refreshToken, ...tokens });
  }

  /** The address at which the user also signs out of the provider; null if it has none. */
  async signOutAddress(idToken: string | null): Promise<URL | null> {
    const { end_session_endpoint: endpoint } = await this.#discover();
    if (endpoint === undefined) return null;
    const address = new URL(endpoint);
    address.searchParams.set('client_id', this.#settings.clientId);
    address.searchParams.set('post_logout_redirect_uri', REDIRECT_URI);
    if (idToken !== null) address.searchParams.set('id_token_hint', idToken);
    return address;
  }

  /** The metadata of the provider. */
  async #discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.#settings.issuer);
    const response = await this.#send(() =>
      oauth.discoveryRequest(issuer, { ...this.#options(), algorithm: 'oidc' }),
    );
    const server = await translated(() => oauth.processDiscoveryResponse(issuer, response));
    const { token_endpoint: endpoint } = server;
    if (endpoint === undefined) throw this.#lacks('token_endpoint');
    const { origin } = new URL(endpoint);
    if (origin !== location.origin && !this.#settings.origins.includes(origin)) {
      throw new ProviderFault(
        'The provider cannot be used',
        `Its token endpoint is at ${origin}, to which this page must not send requests.`,
        `An administrator has to add ${origin} to CARDEA_CONSOLE_OPENID_ORIGINS.`,
      );
    }
    return server;
  }

  #options() {
    return {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      additionalParameters: this.#settings.parameters,
      // The service accepts such an issuer only where CARDEA_ALLOW_PRIVATE_URLS is on.
      [oauth.allowInsecureRequests]: this.#settings.issuer.startsWith('http:'),
    };
  }

  async #send(request: () => Promise<Response>): Promise<Response> {
    const { issuer } = this.#settings;
    const response = await request().catch(() => {
      throw unreachableProvider(issuer, location.origin);
    });
    const { status } = response;
    if (status === 429 || status >= 500) throw busyProvider(issuer, status);
    return response;
  }

  #lacks(member: string): ProviderFault {
    return new ProviderFault(
      'The provider cannot be used',
      `The metadata of ${this.#settings.issuer} lack ${member}.`,
      'An administrator has to check CARDEA_CONSOLE_OPENID_ISSUER.',
    );
  }
}

function tokensOf(response: {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
}): ProviderTokens {
  return {
    accessToken: response.access_token,
    refreshToken: response.refresh_token ?? null,
    idToken: response.id_token ?? null,
  };
}

/** Runs a check of oauth4webapi, and turns its errors into faults that say what to do. */
async function translated<T>(check: () => T | Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      throw refusedByProvider(error.error, error.error_description);
    }
    if (error instanceof oauth.ResponseBodyError) {
      throw refusedByProvider(error.error, error.error_description);
    }
    const message = error instanceof Error ? error.message : String(error);
    if (/"state"/.test(message)) throw strangeAnswer();
    throw new ProviderFault(
      'The answer of the provider is not valid',
      message,
      'Sign in again. If it fails again, an administrator has to check the client of the console at the provider.',
    );
  }
}
