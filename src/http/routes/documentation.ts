// The browsable API documentation at /docs and the OpenAPI document that it shows, built by
// scripts/build-documentation.ts.
import type { FastifyInstance } from 'fastify';
import { builtFolder } from './built-folder.ts';
import { StaticFiles } from './static-files.ts';

/** Nothing from other hosts. Swagger UI writes styles into its elements. */
const POLICY =
  "default-src 'self'; base-uri 'self'; frame-ancestors 'none'; img-src 'self' data:; object-src 'none'; " +
  "script-src 'self'; style-src 'self' 'unsafe-inline'";
const YAML = 'openapi.yaml';
const JSON_DOCUMENT = 'openapi.json';

/**
 * Serves the page, and the document at `/openapi.yaml` and `/openapi.json`, at the same names below `/docs`,
 * and at `/docs/json`.
 * @returns false where they have not been built
 */
export function registerDocumentation(app: FastifyInstance): boolean {
  const folder = builtFolder('documentation/');
  const files = StaticFiles.open({ folder, policy: POLICY });
  if (files === null) return false;
  files.register(app, '/docs');
  app.get('/openapi.yaml', (request, reply) => files.send(request, reply, YAML));
  app.get('/openapi.json', (request, reply) => files.send(request, reply, JSON_DOCUMENT));
  app.get('/docs/json', (request, reply) => files.send(request, reply, JSON_DOCUMENT));
  return true;
}
