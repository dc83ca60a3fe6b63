// Health, readiness and metrics, and a start page with links.
import type { FastifyReply } from 'fastify';
import type { Endpoint } from '../endpoint.ts';
import type { MetricsPage } from '../requests/request-meter.ts';
import { prefersHtml } from '../responses/accept.ts';

/** The status of the service. */
export interface StatusSource {
  /** Why the service is not ready, one sentence each; empty if it is. */
  unreadyReasons(): Promise<readonly string[]>;
  /** Problems that do not keep it from serving, one sentence each. */
  warnings(): Promise<readonly string[]>;
}

const RETRY_AFTER_SECONDS = '1';

/**
 * `/`, `/health`, `/ready`, `/health_check`, and `/metrics` if there is such a page.
 * @param browserPage the path that browsers get for `/`
 */
export function statusEndpoints(
  status: StatusSource,
  metrics: MetricsPage | null,
  browserPage: string,
): Endpoint[] {
  const publicGet = { method: 'GET', dialect: 'isc', operation: null, body: 'none' } as const;
  return [
    {
      ...publicGet,
      path: '/',
      handle(request, reply) {
        if (prefersHtml(request.headers.accept)) return reply.redirect(browserPage);
        return {
          name: 'Cardea',
          documentation: '/docs',
          openapi: '/docs/openapi.yaml',
          health: '/health',
          ready: '/ready',
        };
      },
    },
    { ...publicGet, path: '/health', handle: () => ({ status: 'alive' }) },
    { ...publicGet, path: '/ready', handle: (_request, reply) => readiness(status, reply) },
    // Clients of profile management check this path first.
    { ...publicGet, path: '/health_check', handle: (_request, reply) => readiness(status, reply) },
    ...(metrics === null ? [] : [metricsEndpoint(metrics)]),
  ];
}

/** Answers 200 if the service is ready, else 503 with the reasons. */
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
