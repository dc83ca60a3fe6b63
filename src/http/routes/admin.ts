// What this service has beside the public API: feeding it, and how it is. Imports are streams of NDJSON or one JSON array, gzip or
// not; memory does not grow with their length.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { jsonSource } from '../../identity/json-source.ts';
import { INDEX_NAMES } from '../../query/document-types.ts';
import type { IndexName } from '../../query/plan.ts';
import { drain } from '../admission.ts';
import { clientGone } from '../client-gone.ts';
import { callerOf, type Endpoint, pathParameter, queryParameter } from '../endpoint.ts';
import type { ImportLine, Services } from '../services.ts';

/** Milliseconds that `refresh=wait` waits at most. */
const REFRESH_WAIT_MS = 30_000;
/** Milliseconds in which the rest of a body that nobody needs must have come. */
const DRAIN_MS = 30_000;

/** `/admin/v1/…`. */
export function adminEndpoints(services: Services): Endpoint[] {
  const { documents, status, node } = services;
  const settled = async (request: FastifyRequest, sequence: () => Promise<number>) => {
    if (waits(request)) await status.waitUntilSearchable(await sequence(), REFRESH_WAIT_MS);
  };
  return [
    {
      method: 'POST',
      path: '/admin/v1/documents',
      dialect: 'isc',
      operation: 'admin',
      body: 'stream',
      async handle(request) {
        const named = queryParameter(request, 'index');
        const choices = {
          ...(named === undefined ? {} : { index: indexNamed(named) }),
          strict: flag(request, 'strict'),
          actor: actorOf(request),
        };
        waits(request);
        const { sequence, ...report } = await documents.importDocuments(
          callerOf(request).tenantId,
          linesOf(request),
          choices,
        );
        await settled(request, async () => sequence);
        return report;
      },
    },
    {
      method: 'DELETE',
      path: '/admin/v1/documents/:index/:id',
      dialect: 'isc',
      operation: 'admin',
      body: 'none',
      async handle(request, reply) {
        const index = indexNamed(pathParameter(request, 'index'));
        const id = pathParameter(request, 'id');
        waits(request);
        if (!(await documents.remove(callerOf(request).tenantId, index, id, actorOf(request)))) {
          throw new ServiceError('not_found', 'There is no such document.');
        }
        await settled(request, () => status.lastSequence());
        return reply.code(204).send();
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/auth-users',
      dialect: 'isc',
      operation: 'admin',
      body: 'stream',
      async handle(request) {
        const { sequence: _, ...report } = await documents.importAuthUsers(
          callerOf(request).tenantId,
          linesOf(request),
          { strict: flag(request, 'strict'), actor: actorOf(request) },
        );
        return report;
      },
    },
    {
      method: 'GET',
      path: '/admin/v1/status',
      dialect: 'isc',
      operation: 'admin',
      body: 'none',
      handle: (request) => node.of(callerOf(request).tenantId),
    },
  ];
}

function actorOf(request: FastifyRequest): string {
  const caller = callerOf(request);
  return caller.userName ?? caller.clientId;
}

function indexNamed(name: string): IndexName {
  const index = INDEX_NAMES.find((known) => known === name);
  if (index === undefined) {
    throw new ServiceError('request_invalid', 'There is no such index.', {
      causes: [`index "${name}" is not one of ${INDEX_NAMES.join(', ')}`],
    });
  }
  return index;
}

function waits(request: FastifyRequest): boolean {
  const refresh = queryParameter(request, 'refresh');
  if (refresh === undefined || refresh === 'false') return false;
  if (refresh === 'wait') return true;
  throw new ServiceError('request_invalid', 'refresh is wait or left out.', {
    causes: [`refresh "${refresh}" is not wait`],
  });
}

function flag(request: FastifyRequest, name: string): boolean {
  const value = queryParameter(request, name);
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new ServiceError('request_invalid', `${name} is true, false or left out.`);
}

/** The JSON texts of the body. */
async function* linesOf(request: FastifyRequest): AsyncGenerator<ImportLine> {
  const body = request.body as IncomingMessage | undefined;
  if (body === undefined) {
    throw new ServiceError('body_malformed', 'The request has no body.');
  }
  const zipped = request.headers['content-encoding']?.trim().toLowerCase() === 'gzip';
  try {
    yield* jsonSource(zipped ? unzipped(body) : received(body));
  } finally {
    // An import may end before its body does; the connection is then still good for the answer and what follows.
    drain(body, DRAIN_MS);
  }
}

async function* received(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch {
    // Node ends the stream with an error when the connection closes in the middle.
    throw clientGone();
  }
}

async function* unzipped(body: Readable): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  body.once('close', () => {
    if (!body.readableEnded) gunzip.destroy();
  });
  body.pipe(gunzip);
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch {
    throw new ServiceError('body_malformed', 'The request could not be parsed.', {
      causes: ['the body is not gzip, or is cut off'],
    });
  } finally {
    body.unpipe(gunzip);
    gunzip.destroy();
  }
}
