// The web console at /console: files that were built beforehand and never change while the service runs. Names with a
// hash in them are kept by browsers for good, the page itself is asked for each time.
// Invariant: only files that were there at the start are served, and the page may run and load nothing but them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';

/** Nothing inline, nothing from elsewhere, and no way to make a script or markup of a text. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const FOR_GOOD = 'public, max-age=31536000, immutable';
const PAGE = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface StoredFile {
  readonly plain: Buffer;
  readonly packed: Buffer;
}

/**
 * Serves the console.
 * @returns false: it has not been built, and nothing is served
 */
export function registerConsole(app: FastifyInstance): boolean {
  const folder = fileURLToPath(new URL('../../../console/public/', import.meta.url));
  if (!existsSync(join(folder, PAGE))) return false;
  const files = new Map(namesIn(folder).map((name) => [name, null as Promise<StoredFile> | null]));
  // Relative, so that it leads to the same place behind a proxy that puts a prefix before it.
  app.get('/console', (_request, reply) => reply.redirect('console/', 308));
  app.get<{ Params: { '*': string } }>('/console/*', async (request, reply) => {
    const name = request.params['*'] === '' ? PAGE : request.params['*'];
    const known = files.get(name);
    if (known === undefined) {
      throw new ServiceError('route_not_found', 'Nothing is served at this path.');
    }
    const file = known ?? stored(join(folder, name));
    files.set(name, file);
    return send(request, reply, name, await file);
  });
  return true;
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  { plain, packed }: StoredFile,
): FastifyReply {
  const isPacked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  reply
    .type(TYPES[extname(name)] ?? 'application/octet-stream')
    .header('vary', 'accept-encoding')
    .header('cache-control', name.startsWith('assets/') ? FOR_GOOD : 'no-cache')
    .header('content-security-policy', CONSOLE_POLICY)
    .header('cross-origin-opener-policy', 'same-origin')
    .header('referrer-policy', 'no-referrer');
  if (isPacked) reply.header('content-encoding', 'gzip');
  return reply.send(isPacked ? packed : plain);
}

/** A file, packed once for all who ask for it. */
async function stored(file: string): Promise<StoredFile> {
  const plain = readFileSync(file);
  return { plain, packed: await promisify(gzip)(plain, { level: 9 }) };
}

/** Names of all files below a folder, with slashes. */
function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => extname(name) !== '');
}
