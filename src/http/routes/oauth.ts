// The OAuth endpoints. Parameters may be in the query, a form, a multipart form, or split between
// them; secrets only in the body, unless configured otherwise, or as HTTP Basic.
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { AuthUserAdministration } from '../../service/accounts/auth-user-administration.ts';
import type { TokenInspectionRequest } from '../../service/credentials/token-inspection.ts';
import type { TokenService } from '../../service/credentials/tokens.ts';
import type { AddressLimit } from '../admission/address-limit.ts';
import { callerOf, type Endpoint } from '../endpoint.ts';
import type { HttpSettings } from '../options.ts';

/** What the OAuth endpoints call. */
export interface OAuthCases {
  readonly tokens: Pick<
    TokenService,
    'issue' | 'introspect' | 'revoke' | 'jwks' | 'info' | 'userInfo'
  >;
  readonly authUserAdministration: Pick<AuthUserAdministration, 'signOutSelf'>;
}

/** Parameters that a query must not hold, unless `secretsInQuery` is set. */
const SECRETS = ['client_secret', 'refresh_token'];

/**
 * `/oauth/token`, `/oauth/introspect`, `/oauth/revoke`, `/oauth/sign-out`, `/oauth/userinfo`,
 * `/oauth/info`, `/oauth/jwks`.
 * @param addressLimit counts token requests that are refused; null: no limit
 */
export function oauthEndpoints(
  { tokens, authUserAdministration }: OAuthCases,
  { publicUrl, secretsInQuery }: Pick<HttpSettings, 'publicUrl' | 'secretsInQuery'>,
  addressLimit: AddressLimit | null,
): Endpoint[] {
  const formEndpoint = (
    path: string,
    answer: (request: FastifyRequest) => Promise<unknown>,
  ): Endpoint => ({
    method: 'POST',
    path,
    dialect: 'oauth',
    operation: null,
    body: 'form',
    async handle(request, reply) {
      const body = await answer(request).catch(async (error: unknown) => {
        throw (await addressLimit?.judge(error, request.ip)) ?? error;
      });
      reply.raw.setHeader('Cache-Control', 'no-store');
      reply.raw.setHeader('Pragma', 'no-cache');
      if (body !== undefined) return body;
      // Not returned: the reply would resolve only when the client has received it.
      reply.code(200).send();
      return undefined;
    },
  });
  return [
    formEndpoint('/oauth/token', async (request) => {
      if (!secretsInQuery) refuseSecretsInQuery(request);
      return issue(tokens, request);
    }),
    formEndpoint('/oauth/introspect', async (request) => tokens.introspect(questionOf(request))),
    {
      ...formEndpoint('/oauth/revoke', async (request) => tokens.revoke(questionOf(request))),
      urgent: true,
    },
    {
      method: 'POST',
      path: '/oauth/sign-out',
      dialect: 'isc',
      operation: 'session:end-own',
      body: 'none',
      urgent: true,
      async handle(request, reply) {
        await authUserAdministration.signOutSelf(callerOf(request));
        return reply.code(204).send();
      },
    },
    {
      method: 'GET',
      path: '/oauth/userinfo',
      dialect: 'isc',
      operation: 'session:read',
      body: 'none',
      handle: (request) => tokens.userInfo(callerOf(request)),
    },
    {
      method: 'GET',
      path: '/oauth/info',
      dialect: 'isc',
      operation: null,
      body: 'none',
      async handle(request) {
        await addressLimit?.admit(request.ip);
        const baseUrl = publicUrl ?? `${request.protocol}://${request.host}`;
        return tokens.info(baseUrl, request.headers.authorization);
      },
    },
    {
      method: 'GET',
      path: '/oauth/jwks',
      dialect: 'isc',
      operation: null,
      body: 'none',
      async handle(request) {
        await addressLimit?.admit(request.ip);
        return tokens.jwks();
      },
    },
  ];
}

function refuseSecretsInQuery(request: FastifyRequest): void {
  const query = stringMembers(request.query);
  const secret = SECRETS.find((name) => name in query);
  if (secret === undefined) return;
  throw new ServiceError(
    'oauth_invalid_request',
    `${secret} must not be in the query, which ends up in logs along the way: send it in the body, or the client's secret as HTTP Basic, and create a new one, as this one may be known. CARDEA_TOKEN_POLICY=vendor accepts it in the query.`,
  );
}

async function issue(tokens: OAuthCases['tokens'], request: FastifyRequest): Promise<object> {
  const parameters = { ...stringMembers(request.query), ...stringMembers(request.body) };
  const basic = basicCredentials(request.headers.authorization);
  return tokens.issue(parameters, basic, request.ip, request.id);
}

/** RFC 7662 and RFC 7009 allow parameters only in the body, so that no token is in a query. */
function questionOf(request: FastifyRequest): TokenInspectionRequest {
  const { authorization } = request.headers;
  return {
    parameters: stringMembers(request.body),
    basic: basicCredentials(authorization),
    bearer: /^bearer /i.test(authorization ?? '') ? authorization : undefined,
    origin: { address: request.ip, requestId: request.id },
  };
}

/** The members that are strings; of a repeated one the last value. */
function stringMembers(members: unknown): Record<string, string> {
  if (typeof members !== 'object' || members === null) return {};
  const entries: [string, string][] = [];
  for (const [name, value] of Object.entries(members)) {
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    if (typeof last === 'string') entries.push([name, last]);
  }
  return Object.fromEntries(entries);
}

/** Parses HTTP Basic (RFC 7617); null for a missing or different header. */
function basicCredentials(header: string | undefined): { id: string; secret: string } | null {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? null : { id: pair.slice(0, colon), secret: pair.slice(colon + 1) };
}
