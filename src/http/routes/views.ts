// Views over HTTP: the parts of a tenant that credentials are restricted to.
import type { FastifyReply } from 'fastify';
import type { View } from '../../service/ports/view-records.ts';
import type { Views, WrittenView } from '../../service/views/views.ts';
import { callerOf, type Endpoint, pathParameter } from '../requests/endpoint.ts';
import { writeWarnings } from '../responses/warning-header.ts';

/** What the routes call. */
export type ViewCases = Pick<Views, 'list' | 'get' | 'create' | 'replace' | 'remove'>;

/** `/admin/v1/views` and below. */
export function viewEndpoints(views: ViewCases): Endpoint[] {
  const shared = { dialect: 'isc', operation: 'admin' } as const;
  const path = '/admin/v1/views';
  const one = `${path}/:name`;
  return [
    {
      ...{ ...shared, method: 'GET', path, work: null, body: 'none' },
      handle: (request) => views.list(callerOf(request)),
    },
    {
      ...{ ...shared, method: 'POST', path, work: 'changes', body: 'json' },
      async handle(request, reply) {
        reply.code(201);
        return written(reply, await views.create(callerOf(request), request.body));
      },
    },
    {
      ...{ ...shared, method: 'GET', path: one, work: null, body: 'none' },
      handle: (request) => views.get(callerOf(request), pathParameter(request, 'name')),
    },
    {
      ...{ ...shared, method: 'PUT', path: one, work: 'urgent changes', body: 'json' },
      async handle(request, reply) {
        const name = pathParameter(request, 'name');
        return written(reply, await views.replace(callerOf(request), name, request.body));
      },
    },
    {
      ...{ ...shared, method: 'DELETE', path: one, work: 'urgent changes', body: 'none' },
      async handle(request, reply) {
        await views.remove(callerOf(request), pathParameter(request, 'name'));
        return reply.code(204).send();
      },
    },
  ];
}

/** The view as the body, and the hints about it as warnings. */
function written(reply: FastifyReply, { view, hints }: WrittenView): View {
  writeWarnings(
    reply,
    hints.map((text) => ({ text })),
  );
  return view;
}
