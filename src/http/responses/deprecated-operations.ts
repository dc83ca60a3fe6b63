// Operations that their public specification marks as deprecated, as data. Their answers say so, as those
// of the public service do.
import { routeOf, type ServedEndpoint } from '../requests/endpoint.ts';
import { pathsOf } from '../requests/path-versions.ts';

/** Method and path of each. */
export const DEPRECATED_OPERATIONS: readonly string[] = [
  'GET /beta/accounts',
  'GET /beta/accounts/:id',
  'GET /beta/accounts/:id/entitlements',
];

/** A route whose answers have `X-Deprecated: true` where the operation is deprecated. */
export function withDeprecation(endpoint: ServedEndpoint): ServedEndpoint {
  const { method, path } = endpoint;
  const served = pathsOf(path).map((one) => `${method} ${one}`);
  if (!served.some((operation) => DEPRECATED_OPERATIONS.includes(operation))) return endpoint;
  return {
    ...endpoint,
    handle(request, reply) {
      const operation = `${endpoint.method} ${routeOf(request)}`;
      if (DEPRECATED_OPERATIONS.includes(operation)) reply.raw.setHeader('X-Deprecated', 'true');
      return endpoint.handle(request, reply);
    },
  };
}
