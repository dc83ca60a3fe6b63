// How the service is, for whoever starts, watches or stumbles upon it.
import type { FastifyReply } from 'fastify';
import type { Endpoint } from '../endpoint.ts';
import type { MetricsPage } from '../requests/request-meter.ts';
import type { StatusSource } from '../services.ts';

const RETRY_AFTER_SECONDS = '1';

/** `/`, `/health`, `/ready`, `/health_check`, and `/metrics` where there is a page of it. */
export function statusEndpoints(status: StatusSource, metrics: MetricsPage | null): Endpoint[] {
  const open = { method: 'GET', dialect: 'isc', operation: null, body: 'none' } as const;
  return [
    {
      ...open,
      path: '/',
      handle(request, reply) {
        if (request.headers.accept?.includes('text/html')) return reply.redirect('/docs');
        return {
          name: 'Cardea',
          documentation: '/docs',
          openapi: '/docs/openapi.yaml',
          health: '/health',
          ready: '/ready',
        };
      },
    },
    { ...open, path: '/health', handle: () => ({ status: 'alive' }) },
    { ...open, path: '/ready', handle: (_request, reply) => readiness(status, reply) },
    // The path that a client of profile management asks before it works.
    { ...open, path: '/health_check', handle: (_request, reply) => readiness(status, reply) },
    ...(metrics === null ? [] : [metricsEndpoint(metrics)]),
  ];
}

/** Answers 200 where the service can serve, else 503 with the reasons. */
async function readiness(status: StatusSource, reply: FastifyReply): Promise<object> {
  const reasons = await status.unreadyReasons();
  if (reasons.length === 0) {
    const warnings = await status.warnings();
    return warnings.length === 0 ? { status: 'ready' } : { status: 'ready', warnings };
  }
  reply.raw.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  return reply.code(503).send({ status: 'unready', reasons });
}

function metricsEndpoint(metrics: MetricsPage): Endpoint {
  return {
    method: 'GET',
    path: '/metrics',
    dialect: 'isc',
    operation: null,
    body: 'none',
    async handle(_request, reply) {
      return reply.type(metrics.contentType).send(await metrics.render());
    },
  };
}
