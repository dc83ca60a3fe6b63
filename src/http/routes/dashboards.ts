// Dashboards over HTTP, for every user who may search. The ETag of a response is for If-Match.
import type { FastifyReply } from 'fastify';
import type { Dashboards, TaggedDashboard } from '../../service/dashboards/dashboards.ts';
import type { Capacity } from '../admission/capacity.ts';
import type { Endpoint } from '../requests/endpoint.ts';
import { itemEndpoints } from './item-endpoints.ts';

/** `/admin/v1/dashboards` and the paths below it. */
export function dashboardEndpoints(
  dashboards: Pick<Dashboards, keyof Dashboards>,
  { signals }: Pick<Capacity, 'signals'>,
): Endpoint[] {
  const operations = {
    ...({ list: 'dashboard:read', get: 'dashboard:read', manage: 'dashboard:manage' } as const),
    ...{ fields: null, present: withETag },
  };
  return itemEndpoints(dashboards, operations, signals).map((endpoint) => ({
    ...endpoint,
    path: `/admin/v1/dashboards${endpoint.path}`,
  }));
}

function withETag({ dashboard, etag }: TaggedDashboard, reply: FastifyReply): object {
  reply.raw.setHeader('ETag', etag);
  return dashboard;
}
