// One row of the route table: what a path takes, what its caller must be allowed and how its faults are told.
// Every row that belongs to a public area is served under each version prefix and under the area's own path.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../auth/access.ts';
import type { Caller } from '../auth/caller.ts';

/**
 * How faults are told. `isc`: `{detailCode, trackingId, messages, causes}`. `search`: the same, but a body that does
 * not parse has another spelling there. `oauth`: `{error, error_description}`. `nerm`: `{error, errors}`.
 */
export type Dialect = 'isc' | 'search' | 'oauth' | 'nerm';

/**
 * What a body must be. `query` is JSON of which the same comes often: it may be the same frozen value again. `stream` is
 * handed to the use case unread; `form` is what token requests come in.
 */
export type BodyKind = 'none' | 'json' | 'query' | 'json-patch' | 'stream' | 'form';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with `:name` parameters. */
  readonly path: string;
  readonly dialect: Dialect;
  /** What the caller must be allowed to do; null: open to anyone, no token is looked at. */
  readonly operation: Operation | ((caller: Caller, request: FastifyRequest) => Operation) | null;
  readonly body: BodyKind;
  /** True for requests that take rights away, such as deleting a token: room is kept for them. */
  readonly urgent?: true;
  /** What the request answers; JSON unless it sent something itself. */
  handle(request: FastifyRequest, reply: FastifyReply): unknown;
}

/** A row as served: with its whole path. */
export type ServedEndpoint = Endpoint;

/** The version prefixes; all answer alike. */
export const VERSIONS = ['/v3', '/v2024', '/v2025', '/v2026'] as const;

/**
 * The rows of a public area under every prefix: `/v3/search`, …, and `/search/v1`.
 * @param area first segment, e.g. `/search`; the rows' paths are relative to it
 */
export function publicArea(area: string, endpoints: readonly Endpoint[]): ServedEndpoint[] {
  const prefixes = [...VERSIONS.map((version) => version + area), `${area}/v1`];
  return prefixes.flatMap((prefix) =>
    endpoints.map((endpoint) => ({ ...endpoint, path: prefix + endpoint.path })),
  );
}

/** The prefixes of profile management; both answer alike. */
export const PROFILE_PREFIXES = ['/api', '/api/v1'] as const;

/** The rows of profile management under both prefixes. */
export function profileArea(endpoints: readonly Endpoint[]): ServedEndpoint[] {
  return PROFILE_PREFIXES.flatMap((prefix) =>
    endpoints.map((endpoint) => ({ ...endpoint, path: prefix + endpoint.path })),
  );
}

/** The dialect of an answer: that of the route, or where none matched, of the area the path lies in. */
export function dialectOf(request: FastifyRequest): Dialect {
  return request.endpoint?.dialect ?? (/^\/api(?:[/?]|$)/.test(request.url) ? 'nerm' : 'isc');
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The row of the route table; null where no row matched and on the pages of the documentation. */
    endpoint: ServedEndpoint | null;
    /** Who asks; null until admitted and on open routes. */
    caller: Caller | null;
  }
}

/** The admitted caller of a route that has an operation. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('a route with an operation has a caller');
  return request.caller;
}

/** A path parameter. */
export function pathParameter(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string | undefined>)[name];
  if (value === undefined) throw new Error(`the route has no parameter ${name}`);
  return value;
}

/** A query parameter; of a repeated one the last value. */
export function queryParameter(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value.at(-1) : value;
}
