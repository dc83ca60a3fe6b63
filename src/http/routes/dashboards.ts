// Dashboards over HTTP, for every user who may search. The ETag of a response is for If-Match.
import type { FastifyReply } from 'fastify';
import type { Dashboards, TaggedDashboard } from '../../service/dashboards/dashboards.ts';
import type { Capacity } from '../admission/capacity.ts';
import { callerOf, type Endpoint, queryParameters } from '../requests/endpoint.ts';
import { idOf, listed, warnIn } from './item-endpoints.ts';

const PATH = '/admin/v1/dashboards';
const PAGE = ['offset', 'limit', 'count'] as const;

/** `/admin/v1/dashboards` and the paths below it. */
export function dashboardEndpoints(
  dashboards: Pick<Dashboards, keyof Dashboards>,
  { signals }: Pick<Capacity, 'signals'>,
): Endpoint[] {
  const read = {
    method: 'GET',
    dialect: 'isc',
    operation: 'dashboard:read',
    body: 'none',
  } as const;
  const manage = { dialect: 'isc', operation: 'dashboard:manage' } as const;
  return [
    {
      ...{ ...read, path: PATH, parameters: PAGE },
      async handle(request, reply) {
        const page = queryParameters(request, PAGE);
        return listed(reply, await dashboards.list(callerOf(request), page));
      },
    },
    {
      ...{ ...manage, method: 'POST', path: PATH, body: 'json' },
      async handle(request, reply) {
        const created = await signals.run(reply.raw, (signal) =>
          dashboards.create(callerOf(request), request.body, signal, warnIn(reply)),
        );
        return reply.code(201).send(withETag(created, reply));
      },
    },
    {
      ...{ ...read, path: `${PATH}/:id` },
      handle: async (request, reply) =>
        withETag(await dashboards.get(callerOf(request), idOf(request)), reply),
    },
    {
      ...{ ...manage, method: 'PUT', path: `${PATH}/:id`, body: 'json' },
      async handle(request, reply) {
        const ifMatch = request.headers['if-match'];
        const replaced = await signals.run(reply.raw, (signal) =>
          dashboards.replace(
            callerOf(request),
            idOf(request),
            request.body,
            ifMatch,
            signal,
            warnIn(reply),
          ),
        );
        return withETag(replaced, reply);
      },
    },
    {
      ...{ ...manage, method: 'DELETE', path: `${PATH}/:id`, body: 'none' },
      async handle(request, reply) {
        await dashboards.remove(callerOf(request), idOf(request), request.headers['if-match']);
        return reply.code(204).send();
      },
    },
  ];
}

function withETag({ dashboard, etag }: TaggedDashboard, reply: FastifyReply): object {
  reply.raw.setHeader('ETag', etag);
  return dashboard;
}
