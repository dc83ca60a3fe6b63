// Serves a folder of files that were built beforehand and do not change while the service runs. Each
// file is read and compressed when it is first requested. Browsers may keep files below `assets/`,
// whose names hold a hash, for ever; they revalidate all others.
// Invariant: only files that were in the folder at the start are served.
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
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.yaml': 'application/yaml; charset=utf-8',
};

interface CompressedFile {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** A folder of files that belong to one page, `index.html`. */
export interface StaticFolder {
  readonly folder: string;
  /** Content-Security-Policy of every file. */
  readonly policy: string;
}

/** Serves the files of one folder. */
export class StaticFiles {
  readonly #options: StaticFolder;
  /** By name; null until the file is first requested. */
  readonly #files: Map<string, Promise<CompressedFile> | null>;

  /** @returns null where the folder has no page */
  static open(options: StaticFolder): StaticFiles | null {
    return existsSync(join(options.folder, PAGE)) ? new StaticFiles(options) : null;
  }

  private constructor(options: StaticFolder) {
    this.#options = options;
    this.#files = new Map(namesIn(options.folder).map((name) => [name, null]));
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
  async send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const { plain, gzipped } = await this.#read(name);
    const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    reply
      .type(TYPES[extname(name)] ?? 'application/octet-stream')
      .header('vary', 'accept-encoding')
      .header('cache-control', name.startsWith('assets/') ? IMMUTABLE : 'no-cache')
      .header('content-security-policy', this.#options.policy)
      .header('cross-origin-opener-policy', 'same-origin')
      .header('referrer-policy', 'no-referrer');
    if (acceptsGzip) reply.header('content-encoding', 'gzip');
    return reply.send(acceptsGzip ? gzipped : plain);
  }

  #read(name: string): Promise<CompressedFile> {
    const cached = this.#files.get(name);
    if (cached === undefined) {
      throw new ServiceError('route_not_found', 'Nothing is served at this path.');
    }
    const file = cached ?? compressed(join(this.#options.folder, name));
    this.#files.set(name, file);
    return file;
  }
}

async function compressed(file: string): Promise<CompressedFile> {
  const plain = readFileSync(file);
  return { plain, gzipped: await promisify(gzip)(plain, { level: 9 }) };
}

/** Names of all files below a folder, with slashes. */
function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => extname(name) !== '');
}
