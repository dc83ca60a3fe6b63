// The browsable page at /docs and the OpenAPI document behind it. All files come with the packages: nothing is
// fetched from elsewhere, and the page's policy says so.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { parse, stringify } from 'yaml';

const POLICY =
  "default-src 'self'; base-uri 'self'; frame-ancestors 'none'; img-src 'self' data:; object-src 'none'; " +
  "script-src 'self'; style-src 'self' 'unsafe-inline'";

/** In place of the framework's: this is not its page. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 32"><text x="0" y="24" fill="#fff" ' +
  'font-family="sans-serif" font-size="24" font-weight="bold">Cardea</text></svg>';

/** Serves the page, and the document at `/docs/openapi.yaml` and `/openapi.yaml`. */
export function registerDocumentation(app: FastifyInstance): void {
  // It repeats itself by more aliases than the reader takes from strangers.
  const document = parse(readFileSync(openapiFile(), 'utf8'), { merge: true, maxAliasCount: -1 });
  // The file is written with merge keys and aliases, which not every reader of YAML knows: they are served resolved,
  // once somebody asks, for that takes longer than the rest of this at a start.
  let text: string | undefined;
  app.register(swagger, { mode: 'static', specification: { document } });
  app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: POLICY,
    theme: { title: 'Cardea' },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/docs' },
    uiConfig: { validatorUrl: null, tryItOutEnabled: true },
  });
  for (const url of ['/docs/openapi.yaml', '/openapi.yaml']) {
    app.get(url, (_request, reply) => {
      text ??= stringify(document, { aliasDuplicateObjects: false });
      return reply.type('application/yaml; charset=utf-8').send(text);
    });
  }
}

/** `docs/openapi.yaml` of the package, found upwards from this file, since compiled files lie deeper. */
export function openapiFile(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const file = join(folder, 'docs', 'openapi.yaml');
    if (existsSync(file)) return file;
    const parent = dirname(folder);
    if (parent === folder) throw new Error('docs/openapi.yaml is missing from the package');
    folder = parent;
  }
}
