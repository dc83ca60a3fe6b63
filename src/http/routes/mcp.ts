// The Model Context Protocol at /mcp, for assistants: one message a request, with the token and the
// rights of its caller. The protocol and its SDK are loaded with the first message.
// Invariant: a page of another site gets nothing, whatever name its address resolves to.
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { SearchCases } from '../../mcp/local-access.ts';
import type { Capacity } from '../admission/capacity.ts';
import { callerOf, type Endpoint } from '../requests/endpoint.ts';

/** The settings of the route. */
export interface McpSettings {
  /** Off: the path answers 404. */
  readonly mcp: boolean;
  readonly corsOrigins: readonly string[];
  /** Version of the service, which the protocol shows. */
  readonly version: string;
}

const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/;

export function mcpEndpoints(
  search: SearchCases,
  { signals }: Pick<Capacity, 'signals'>,
  { mcp, corsOrigins, version }: McpSettings,
): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/mcp',
      dialect: 'isc',
      operation: 'search',
      work: 'searches',
      body: 'json',
      async handle(request, reply) {
        if (!mcp) {
          const causes = ['set CARDEA_MCP to on to serve assistants at /mcp'];
          throw new ServiceError('route_not_found', 'Nothing is served at this path.', { causes });
        }
        refuseForeignOrigin(request, corsOrigins);
        refuseBatch(request.body);
        const { answerMessage } = await import('../../mcp/http-exchange.ts');
        const { localAccess } = await import('../../mcp/local-access.ts');
        const answer = await signals.run(reply.raw, (signal) =>
          answerMessage(
            localAccess(search, callerOf(request), { signal, memory: reply }),
            { message: request.body, headers: request.headers },
            version,
          ),
        );
        reply.code(answer.status);
        if (answer.contentType !== null) reply.type(answer.contentType);
        return reply.send(answer.text);
      },
    },
  ];
}

/**
 * Browsers send the origin of the page. Only pages of this machine and of the configured origins
 * may call; comparing with the host of the request would admit a page whose name was rebound.
 */
function refuseForeignOrigin({ headers }: FastifyRequest, corsOrigins: readonly string[]): void {
  const { origin } = headers;
  if (origin === undefined || LOOPBACK.test(origin) || corsOrigins.includes(origin)) return;
  throw new ServiceError('forbidden', 'Pages of this origin may not call /mcp.', {
    causes: [`origin ${JSON.stringify(origin.slice(0, 100))} is not among CARDEA_CORS_ORIGINS`],
  });
}

/** A batch would run many searches in the place of one request. */
function refuseBatch(body: unknown): void {
  if (!Array.isArray(body)) return;
  throw new ServiceError('request_invalid', 'Send one message in a request, not a batch.');
}
