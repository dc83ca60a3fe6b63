// Health, readiness and metrics, and a start page with links.
import type { FastifyReply } from 'fastify';
import type { MetricsPage } from '../observers/request-meter.ts';
import type { Endpoint } from '../requests/endpoint.ts';
import { prefersHtml } from '../responses/accept.ts';
import type { Readiness } from './readiness.ts';

const RETRY_AFTER_SECONDS = '1';

/**
 * `/`, `/health`, `/ready`, `/health_check`, and `/metrics` if there is such a page.
 * @param browserPage the path that browsers get for `/`
 */
export function statusEndpoints(
  readiness: Readiness,
  metrics: MetricsPage | null,
  browserPage: string,
): Endpoint[] {
  const publicGet = {
    method: 'GET',
    dialect: 'isc',
    operation: null,
    work: null,
    body: 'none',
  } as const;
  return [
    {
      ...publicGet,
      path: '/',
      handle(request, reply) {
        if (prefersHtml(request.headers.accept)) return reply.redirect(browserPage);
        return {
          name: 'Cardea',
          ...(browserPage === '/docs' ? {} : { console: browserPage }),
          documentation: '/docs',
          openapi: '/docs/openapi.yaml',
          health: '/health',
          ready: '/ready',
        };
      },
    },
    { ...publicGet, path: '/health', handle: () => ({ status: 'alive' }) },
    { ...publicGet, path: '/ready', handle: (_request, reply) => sendReadiness(readiness, reply) },
    // Clients of profile management check this path first, and read `healthy` or `message`.
    {
      ...publicGet,
      path: '/health_check',
      async handle(_request, reply) {
        const body = await sendReadiness(readiness, reply);
        const healthy = body.status === 'ready';
        const message = healthy ? 'The service is ready.' : body.reasons.join(' ');
        return { healthy, message, ...body };
      },
    },
    ...(metrics === null ? [] : [metricsEndpoint(metrics)]),
  ];
}

type ReadinessBody =
  | { readonly status: 'ready'; readonly warnings?: readonly string[] }
  | { readonly status: 'unready'; readonly reasons: readonly string[] };

/** Answers 200 if the service is ready, else 503 with the reasons. */
async function sendReadiness(readiness: Readiness, reply: FastifyReply): Promise<ReadinessBody> {
  const { reasons, warnings } = await readiness.read();
  if (reasons.length === 0) {
    return warnings.length === 0 ? { status: 'ready' } : { status: 'ready', warnings };
  }
  reply.raw.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  reply.code(503);
  return { status: 'unready', reasons };
}

function metricsEndpoint(metrics: MetricsPage): Endpoint {
  return {
    method: 'GET',
    path: '/metrics',
    dialect: 'isc',
    operation: null,
    work: null,
    body: 'none',
    async handle(_request, reply) {
      return reply.type(metrics.contentType).send(await metrics.render());
    },
  };
}
