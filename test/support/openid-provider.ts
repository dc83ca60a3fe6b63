// A real OpenID provider (oidc-provider) on a free port of the loopback address, with a login form
// of its own. Access tokens are JWTs with the claims that a service expects of an external issuer.
// Invariant: nothing leaves the machine; `stop` closes the port.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

/** How the provider behaves; tests change it while it runs. */
export interface ProviderBehaviour {
  /** The claim `aud` of access tokens. */
  audience: string;
  /** Seconds that access tokens are valid. */
  tokenSeconds: number;
  refreshTokens: boolean;
  /** The name of the tenant in access tokens; null: the claim is missing. */
  tenant: string | null;
}

export interface RunningProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly behaviour: ProviderBehaviour;
  /** Serves the client `console`, which returns to this address. */
  serve(redirectUri: string): void;
  /** Number of requests to the token endpoint. */
  tokenRequests(): number;
  /** Closes the port, or opens it again. */
  shut(): Promise<void>;
  reopen(): Promise<void>;
  stop(): Promise<void>;
}

export const CLIENT_ID = 'console';
/** The resource that access tokens are for (RFC 8707). */
export const RESOURCE = 'https://cardea.example.org';
export const SCOPES = 'openid profile sp:scopes:all';

export async function startProvider(): Promise<RunningProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'test', use: 'sig', alg: 'RS256' };
  const behaviour: ProviderBehaviour = {
    ...{ audience: 'cardea', tokenSeconds: 600, refreshTokens: true, tenant: 'test' },
  };
  let handle: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;
  let tokenRequests = 0;
  let server = newServer();
  let port = 0;
  function newServer(): Server {
    return createServer((request, response) => {
      if (request.url === '/token' && request.method === 'POST') tokenRequests += 1;
      handle?.(request, response);
    });
  }
  const open = async () => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  };
  const shut = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await open();
  const issuer = `http://127.0.0.1:${port}`;
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    behaviour,
    serve(redirectUri) {
      const provider = new Provider(issuer, configuration(redirectUri, key, behaviour));
      const answer = provider.callback();
      handle = (request, response) => {
        if (request.url?.startsWith('/login/')) void logIn(provider, request, response);
        else answer(request, response);
      };
    },
    tokenRequests: () => tokenRequests,
    shut,
    async reopen() {
      server = newServer();
      await open();
    },
    stop: shut,
  };
}

function configuration(redirectUri: string, key: object, behaviour: ProviderBehaviour): object {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: 'none',
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a key for tests'] },
    pkce: { required: () => true },
    clientBasedCORS: (_context: unknown, origin: string) => redirectUri.startsWith(origin),
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id }),
    }),
    issueRefreshToken: () => behaviour.refreshTokens,
    extraTokenClaims: (_context: unknown, { accountId }: { accountId: string }) => ({
      identity_id: accountId,
      user_name: `user ${accountId.slice(0, 6)}`,
      ...(behaviour.tenant === null ? {} : { tenant_id: behaviour.tenant }),
    }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/login/${uid}` },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource(context: { body: string }, form: string) {
          context.body = `${PAGE}${form}<button form="op.logoutForm" name="logout" value="yes">Leave the provider</button>`;
        },
      },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          ...{ scope: 'sp:scopes:all', accessTokenFormat: 'jwt' },
          audience: behaviour.audience,
          accessTokenTTL: behaviour.tokenSeconds,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    loadExistingGrant: grantEverything,
  };
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: {
      readonly Grant: new (
        of: object,
      ) => {
        addOIDCScope(scope: string): void;
        addResourceScope(resource: string, scope: string): void;
        save(): Promise<string>;
      };
    };
  };
}

/** Grants what the client asks for, so that there is no page of consent. */
async function grantEverything({ oidc }: GrantContext): Promise<object> {
  const { clientId } = oidc.client;
  const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid profile');
  grant.addResourceScope(RESOURCE, 'sp:scopes:all');
  await grant.save();
  return grant;
}

const PAGE =
  '<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,">';
const FORM = `${PAGE}<h1>Provider</h1><form method="post">
  <label>User <input name="login"></label>
  <button>Log in</button> <button name="refuse" value="yes">Refuse</button></form>`;

async function logIn(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html').end(FORM);
    return;
  }
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const fields = new URLSearchParams(body);
  await provider.interactionFinished(
    request,
    response,
    fields.has('refuse')
      ? { error: 'access_denied', error_description: 'You may not use this application' }
      : { login: { accountId: fields.get('login') ?? '' } },
  );
}
