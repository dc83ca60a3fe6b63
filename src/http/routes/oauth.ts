// The OAuth endpoints. Parameters may be in the query, a form, a multipart form, or split between
// them; secrets in the body or as HTTP Basic, and in the query where that is configured.
// Invariant: a secret that is refused or accepted in the query is in no response and no log line.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ServiceError } from '../../errors.ts';
import { BoundedMap } from '../../query/bounded-map.ts';
import type { AuthUserAdministration } from '../../service/accounts/auth-user-administration.ts';
import type { TokenInspectionRequest } from '../../service/credentials/token-inspection.ts';
import type { TokenService } from '../../service/credentials/tokens.ts';
import type { AddressLimit } from '../admission/address-limit.ts';
import { callerOf, type Endpoint } from '../requests/endpoint.ts';
import { writeWarnings } from '../responses/warning-header.ts';

/** How the OAuth endpoints answer. */
export interface OAuthSettings {
  readonly log: Logger;
  /** Public base URL without a trailing slash; null: taken from the request. */
  readonly publicUrl: string | null;
  /** Accepts secrets in the query of the token endpoint, as published programs send them. */
  readonly secretsInQuery: boolean;
}

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
const MEND = "send it in the body, or the client's secret as HTTP Basic";

/**
 * `/oauth/token`, `/oauth/introspect`, `/oauth/revoke`, `/oauth/sign-out`, `/oauth/userinfo`,
 * `/oauth/info`, `/oauth/jwks`.
 * @param addressLimit counts token requests that are refused; null: no limit
 */
export function oauthEndpoints(
  { tokens, authUserAdministration }: OAuthCases,
  { publicUrl, secretsInQuery, log }: OAuthSettings,
  addressLimit: AddressLimit | null,
): Endpoint[] {
  const warnOfSecret = queryWarnings(log);
  const formEndpoint = (
    path: string,
    work: 'sign-ins' | 'revocations',
    answer: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): Endpoint => ({
    method: 'POST',
    path,
    dialect: 'oauth',
    operation: null,
    work,
    body: 'form',
    async handle(request, reply) {
      const body = await answer(request, reply).catch(async (error: unknown) => {
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
    formEndpoint('/oauth/token', 'sign-ins', async (request, reply) => {
      const secret = secretInQuery(request);
      if (secret !== null && !secretsInQuery) throw refusedInQuery(secret);
      const answer = await issue(tokens, request);
      if (secret !== null) warnOfSecret(secret, request, reply);
      return answer;
    }),
    formEndpoint('/oauth/introspect', 'sign-ins', async (request) =>
      tokens.introspect(questionOf(request)),
    ),
    formEndpoint('/oauth/revoke', 'revocations', async (request) =>
      tokens.revoke(questionOf(request)),
    ),
    {
      method: 'POST',
      path: '/oauth/sign-out',
      dialect: 'isc',
      operation: 'session:end-own',
      body: 'none',
      work: 'urgent changes',
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
      work: null,
      body: 'none',
      handle: (request) => tokens.userInfo(callerOf(request)),
    },
    {
      method: 'GET',
      path: '/oauth/info',
      dialect: 'isc',
      operation: null,
      work: null,
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
      work: null,
      body: 'none',
      async handle(request) {
        await addressLimit?.admit(request.ip);
        return tokens.jwks();
      },
    },
  ];
}

/** The name of the first secret in the query; null: there is none. */
function secretInQuery({ query }: FastifyRequest): string | null {
  const names = Object.keys(query ?? {});
  return SECRETS.find((name) => names.includes(name)) ?? null;
}

function refusedInQuery(secret: string): ServiceError {
  return new ServiceError(
    'oauth_invalid_request',
    `${secret} must not be in the query, which ends up in logs along the way: ${MEND}, and create a new one, as this one may be known. CARDEA_SECRETS_IN_QUERY=on accepts it in the query.`,
  );
}

/**
 * Returns what warns of a secret that was accepted in the query: a header for each response, and a
 * line of the log for each client, since some programs ask for a token with every request.
 */
function queryWarnings(log: Logger) {
  /** The clients that the log has a line about. */
  const logged = new BoundedMap<string, true>({ kept: 1_000 });
  return (secret: string, request: FastifyRequest, reply: FastifyReply): void => {
    const text = `${secret} is in the query, which ends up in logs along the way: ${MEND}.`;
    writeWarnings(reply, [{ text }]);
    const client = clientIdOf(request);
    if (logged.get(client) === true) return;
    logged.add(client, true);
    log.warn({ client, parameter: secret }, 'A client sends a secret in the query');
  };
}

function clientIdOf({ query, body, headers }: FastifyRequest): string {
  const { client_id: id } = { ...stringMembers(query), ...stringMembers(body) };
  return id || (basicCredentials(headers.authorization)?.id ?? '');
}

async function issue(tokens: OAuthCases['tokens'], request: FastifyRequest): Promise<object> {
  const { query, body } = request;
  const scope = scopeOf(body) ?? scopeOf(query);
  const parameters = {
    ...stringMembers(query),
    ...stringMembers(body),
    ...(scope === undefined ? {} : { scope }),
  };
  const basic = basicCredentials(request.headers.authorization);
  return tokens.issue(parameters, basic, request.ip, request.id);
}

/**
 * The parameter `scope`: names with spaces between them (RFC 6749 section 3.3). Some clients send a
 * list, in JSON or by repeating the parameter.
 * @returns undefined without one
 * @throws ServiceError `oauth_invalid_request` for another type, which would otherwise mean all scopes
 */
function scopeOf(members: unknown): string | undefined {
  const { scope = null } = (members ?? {}) as { readonly scope?: unknown };
  if (scope === null) return undefined;
  const names: readonly unknown[] = Array.isArray(scope) ? scope : [scope];
  if (names.every((name) => typeof name === 'string')) return names.join(' ');
  throw new ServiceError('oauth_invalid_request', 'The parameter scope must be a string.');
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
