// Serves a folder of files that were built beforehand and do not change while the service runs. Each
// file is read and compressed when it is first requested. Browsers may keep files below `assets/`,
// whose names hold a hash, for ever; they revalidate all others. A page is served without `.html`, too.
// Invariant: only files that were in the folders at the start are served.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const PAGE = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
  '.yaml': 'application/yaml; charset=utf-8',
};

interface CompressedFile {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** A folder of files with a first page, `index.html`. */
export interface StaticFolder {
  readonly folder: string;
  /** Content-Security-Policy of every file. */
  readonly policy: string;
  /** A folder whose files are served where the first one has none of the name, if their names match. */
  readonly more?: { readonly folder: string; readonly names: RegExp };
}

/** Serves the files of a folder. */
export class StaticFiles {
  readonly #policy: string;
  /** Paths by name. */
  readonly #paths: ReadonlyMap<string, string>;
  /** By name, once they are requested. */
  readonly #files = new Map<string, Promise<CompressedFile>>();

  /** @returns null where the folder has no page */
  static open(options: StaticFolder): StaticFiles | null {
    return existsSync(join(options.folder, PAGE)) ? new StaticFiles(options) : null;
  }

  private constructor({ folder, policy, more }: StaticFolder) {
    this.#policy = policy;
    const others = more === undefined ? [] : pathsIn(more.folder);
    this.#paths = new Map([
      ...others.filter(([name]) => more?.names.test(name)),
      ...pathsIn(folder),
    ]);
  }

  /** Serves the page at `<prefix>/`, the files below it, and redirects `<prefix>` to the page. */
  register(app: FastifyInstance, prefix: string): void {
    // Relative, so that it leads to the same place behind a proxy that adds a path prefix.
    const page = `${prefix.slice(prefix.lastIndexOf('/') + 1)}/`;
    app.get(prefix, (_request, reply) => reply.redirect(page, 308));
    app.get<{ Params: { '*': string } }>(`${prefix}/*`, (request, reply) =>
      this.send(request, reply, request.params['*'] || PAGE),
    );
  }

  /** Answers with one file. @throws ServiceError `route_not_found` */
  async send(request: FastifyRequest, reply: FastifyReply, asked: string): Promise<FastifyReply> {
    const name = extname(asked) === '' ? `${asked}.html` : asked;
    const { plain, gzipped } = await this.#read(name);
    const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    reply
      .type(TYPES[extname(name)] ?? 'application/octet-stream')
      .header('vary', 'accept-encoding')
      .header('cache-control', name.startsWith('assets/') ? IMMUTABLE : 'no-cache')
      .header('content-security-policy', this.#policy)
      .header('cross-origin-opener-policy', 'same-origin')
      .header('referrer-policy', 'no-referrer');
    if (acceptsGzip) reply.header('content-encoding', 'gzip');
    return reply.send(acceptsGzip ? gzipped : plain);
  }

  #read(name: string): Promise<CompressedFile> {
    const path = this.#paths.get(name);
    if (path === undefined) {
      throw new ServiceError('route_not_found', 'Nothing is served at this path.');
    }
    const file = this.#files.get(name) ?? compressed(path);
    this.#files.set(name, file);
    return file;
  }
}

async function compressed(file: string): Promise<CompressedFile> {
  const plain = readFileSync(file);
  return { plain, gzipped: await promisify(gzip)(plain, { level: 9 }) };
}

/** Names, with slashes, and paths of all files below a folder; none where it is missing. */
function pathsIn(folder: string): (readonly [name: string, path: string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) !== '')
    .map((name) => [name.replaceAll('\\', '/'), join(folder, name)]);
}
