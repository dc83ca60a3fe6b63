// The guide at /docs/guide, built by scripts/build-guide.ts from the pages in docs/, and the Markdown of each page.
import type { FastifyInstance } from 'fastify';
import { builtFolder } from './built-folder.ts';
import { pagePolicy } from './page-policy.ts';
import { StaticFiles } from './static-files.ts';

/** The files in docs/ that are packed. */
const PACKED = /^(?:[\w-]+\.md|images\/[\w-]+\.webp|openapi\.yaml|fixture\.schema\.json)$/;
const INDEX = 'llms.txt';

/**
 * Serves the pages at `/docs/guide/NAME` and their Markdown at `/docs/guide/NAME.md`; `/llms.txt` leads to the list of them.
 * @returns false where they have not been built
 */
export function registerGuide(app: FastifyInstance): boolean {
  const files = StaticFiles.open({
    ...{ folder: builtFolder('guide/'), policy: pagePolicy([]) },
    more: { folder: builtFolder('../docs/'), names: PACKED },
  });
  if (files === null) return false;
  files.register(app, '/docs/guide');
  app.get(`/${INDEX}`, (_request, reply) => reply.redirect(`docs/guide/${INDEX}`, 308));
  return true;
}
