// Views over HTTP: the parts of a tenant that credentials are restricted to.
import type { Views } from '../../service/views/views.ts';
import { callerOf, type Endpoint, pathParameter } from '../endpoint.ts';

/** What the routes call. */
export type ViewCases = Pick<Views, 'list' | 'get' | 'create' | 'replace' | 'remove'>;

/** `/admin/v1/views` and below. */
export function viewEndpoints(views: ViewCases): Endpoint[] {
  const shared = { dialect: 'isc', operation: 'admin' } as const;
  const path = '/admin/v1/views';
  const one = `${path}/:name`;
  return [
    {
      ...{ ...shared, method: 'GET', path, body: 'none' },
      handle: (request) => views.list(callerOf(request)),
    },
    {
      ...{ ...shared, method: 'POST', path, body: 'json' },
      async handle(request, reply) {
        reply.code(201);
        return views.create(callerOf(request), request.body);
      },
    },
    {
      ...{ ...shared, method: 'GET', path: one, body: 'none' },
      handle: (request) => views.get(callerOf(request), pathParameter(request, 'name')),
    },
    {
      ...{ ...shared, method: 'PUT', path: one, body: 'json', urgent: true },
      handle: (request) =>
        views.replace(callerOf(request), pathParameter(request, 'name'), request.body),
    },
    {
      ...{ ...shared, method: 'DELETE', path: one, body: 'none', urgent: true },
      async handle(request, reply) {
        await views.remove(callerOf(request), pathParameter(request, 'name'));
        return reply.code(204).send();
      },
    },
  ];
}
