// The browsable page at /docs and the OpenAPI document behind it: the paths, and where the document is. What answers is
// loaded when it is first asked.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { DocumentationSite } from '../documentation-site.ts';

/** Serves the page, and the document at `/docs/openapi.yaml` and `/openapi.yaml`. */
export function registerDocumentation(app: FastifyInstance, log: Logger): void {
  let opened: Promise<DocumentationSite> | null = null;
  const open = async () => {
    const { openDocumentationSite } = await import('../documentation-site.ts');
    return openDocumentationSite(openapiFile(), app.life, log);
  };
  for (const url of ['/docs', '/docs/*', '/openapi.yaml']) {
    app.get(url, async (request, reply) => {
      opened ??= open();
      const answer = await opened;
      reply.hijack();
      answer(request.raw, reply.raw, request.id);
      return reply;
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
