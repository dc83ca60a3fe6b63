// The pages about the API as an application of their own, built when somebody first asks: reading the OpenAPI document and
// loading what shows it takes longer than everything else that HTTP needs at a start. All files come with the packages:
// nothing is fetched from elsewhere, and the page's policy says so.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { parse, stringify } from 'yaml';
import { ServiceError } from '../errors.ts';
import { sendFault } from './responses/error-handler.ts';
import { writeCommonHeaders } from './responses/response.ts';

const POLICY =
  "default-src 'self'; base-uri 'self'; frame-ancestors 'none'; img-src 'self' data:; object-src 'none'; " +
  "script-src 'self'; style-src 'self' 'unsafe-inline'";

/** In place of the framework's: this is not its page. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 32"><text x="0" y="24" fill="#fff" ' +
  'font-family="sans-serif" font-size="24" font-weight="bold">Cardea</text></svg>';

/** Answers a request that another application has taken in, under the tracking id it was given there. */
export type DocumentationSite = (
  request: IncomingMessage,
  response: ServerResponse,
  trackingId: string,
) => void;

/**
 * @param file the OpenAPI document
 * @param life of the application that serves it
 */
export async function openDocumentationSite(
  file: string,
  life: FastifyInstance['life'],
  log: Logger,
): Promise<DocumentationSite> {
  const trackingIds = new WeakMap<object, string>();
  const site = Fastify({ logger: false, genReqId: (raw) => trackingIds.get(raw) ?? '' });
  site.decorate('life', life);
  site.addHook('onSend', (request, reply, payload, done) => {
    writeCommonHeaders(request, reply);
    done(null, payload);
  });
  site.setErrorHandler((error, request, reply) => sendFault(error, request, reply, log));
  site.setNotFoundHandler(() => {
    throw new ServiceError('route_not_found', 'Nothing is served at this path.');
  });
  // It repeats itself by more aliases than the reader takes from strangers.
  const document = parse(readFileSync(file, 'utf8'), { merge: true, maxAliasCount: -1 });
  // The file is written with merge keys and aliases, which not every reader of YAML knows: they are served resolved.
  let bytes: Buffer | undefined;
  site.register(swagger, { mode: 'static', specification: { document } });
  site.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: POLICY,
    theme: { title: 'Cardea' },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs' },
    uiConfig: { validatorUrl: null, tryItOutEnabled: true },
  });
  for (const url of ['/docs/openapi.yaml', '/openapi.yaml']) {
    site.get(url, (_request, reply) => {
      // One buffer for all: answers that are not read hold no copies.
      bytes ??= Buffer.from(stringify(document, { aliasDuplicateObjects: false }));
      return reply.type('application/yaml; charset=utf-8').send(bytes);
    });
  }
  await site.ready();
  return (request, response, trackingId) => {
    trackingIds.set(request, trackingId);
    site.routing(request, response);
  };
}
