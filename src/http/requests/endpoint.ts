// One row of the route table: method, path, required right, kind of body and error format.
// Each row of a public area is served under every version and under the area's own path.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import type { CollectionForm } from '../../service/lists/parameter-hints.ts';
import { pathOfVersion, publicRoutes } from './path-versions.ts';

/**
 * The error format. `isc`: `{detailCode, trackingId, messages, causes}`. `search`: the same, but
 * with another detail code for a body that does not parse. `oauth`: `{error, error_description}`.
 * `nerm`: `{error, errors}`.
 */
export type Dialect = 'isc' | 'search' | 'oauth' | 'nerm';

/**
 * The kind of work that needs a place. Urgent changes revoke rights, as deleting a token does; some
 * places are reserved for them, and others for revocations by clients without a token.
 */
export type Work =
  | 'searches'
  | 'streams of rows'
  | 'advanced searches'
  | 'reads of profile management'
  | 'changes'
  | 'sign-ins'
  | 'urgent changes'
  | 'revocations';

/**
 * The kind of body that a route reads. `query` is the JSON of a search, which changes nothing.
 * `stream` is passed to the use case unread; `form` is the body of token requests.
 */
export type BodyKind = 'none' | 'json' | 'query' | 'json-patch' | 'stream' | 'form';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with `:name` parameters; that of every version begins as `publicRoutes` says. */
  readonly path: string;
  readonly dialect: Dialect;
  /** The right that the caller must have; null: open to anyone, tokens are not checked. */
  readonly operation: Operation | ((caller: Caller, request: FastifyRequest) => Operation) | null;
  readonly body: BodyKind;
  /** Its query parameters, if a `Warning` names others; see requests/misplaced-parameters.ts. */
  readonly parameters?: readonly string[];
  /** What it is filtered and sorted by, for hints; as the use case reads it. */
  readonly form?: CollectionForm;
  /** The work of its requests; null for what needs no place: status, keys and single records. */
  readonly work: Work | null;
  /** True for a power for tests: it is not limited, observed or disturbed. */
  readonly isTestPower?: true;
  /** Returns the response body, sent as JSON unless the handler has sent a response itself. */
  handle(request: FastifyRequest, reply: FastifyReply): unknown;
}

/** A row with its full path. */
export type ServedEndpoint = Endpoint;

/**
 * Returns the rows of a public area: one for all versions, and one for the path of its own.
 * @param area first segment, e.g. `/search`; the rows' paths are relative to it
 */
export function publicArea(area: string, endpoints: readonly Endpoint[]): ServedEndpoint[] {
  return publicRoutes(area).flatMap((prefix) =>
    endpoints.map((endpoint) => ({ ...endpoint, path: prefix + endpoint.path })),
  );
}

/** The prefixes of profile management; both behave alike. */
const PROFILE_PREFIXES = ['/api', '/api/v1'] as const;

/** Returns the rows of profile management under both prefixes. */
export function profileArea(endpoints: readonly Endpoint[]): ServedEndpoint[] {
  return PROFILE_PREFIXES.flatMap((prefix) =>
    endpoints.map((endpoint) => ({ ...endpoint, path: prefix + endpoint.path })),
  );
}

/** The error format of the matched route, or of the area of the path if no route matches. */
export function dialectOf(request: FastifyRequest): Dialect {
  return request.endpoint?.dialect ?? (/^\/api(?:[/?]|$)/.test(request.url) ? 'nerm' : 'isc');
}

/**
 * The path template of the matched row, with the version of the request, such as
 * `/v3/search/:index`; `other` if no row matches.
 */
export function routeOf({ endpoint, params }: FastifyRequest): string {
  if (endpoint === null) return 'other';
  return pathOfVersion(endpoint.path, `/${(params as { version?: string }).version}`);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The matched row; null if none matches, and on the pages of the documentation. */
    endpoint: ServedEndpoint | null;
    /** The authenticated caller; null until admitted and on open routes. */
    caller: Caller | null;
  }
}

/** The caller of a request to a route that has an operation. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('a route with an operation has a caller');
  return request.caller;
}

/** Returns a path parameter. */
export function pathParameter(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string | undefined>)[name];
  if (value === undefined) throw new Error(`the route has no parameter ${name}`);
  return value;
}

/** Returns a query parameter; of a repeated one the last value. */
export function queryParameter(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value.at(-1) : value;
}

/** Returns the query parameters that a request has of some; of a repeated one the last value. */
export function queryParameters<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): { [name in Name]?: string } {
  const values: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = queryParameter(request, name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
