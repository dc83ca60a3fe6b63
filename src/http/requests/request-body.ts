// What a body may be, and what it becomes. One parser takes all content types, because what a body must be is a property of
// the route, and it runs after the caller was admitted: who may not ask does not get us to read. How a body is read, within
// which bounds, is in admission/.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { CooperativeScheduler } from '../../identity/scheduling/cooperative.ts';
import type { BodyMemory } from '../admission/body-pool.ts';
import { tooLarge } from '../admission/body-reader.ts';
import { type Capacity, partyOf } from '../admission/capacity.ts';
import type { BodyKind, Endpoint } from '../endpoint.ts';
import { parseJsonBody } from './json-body.ts';
import { RepeatedBodies } from './repeated-bodies.ts';

export interface BodyLimits {
  /** Bytes of a JSON or form body; streams have no limit. */
  readonly bodyLimitBytes: number;
  /** The same on routes that are open to anyone. */
  readonly anonymousBodyLimitBytes: number;
}

/** Parsed at once, as most bodies are; larger ones share the turns of the event loop. */
const SMALL_BYTES = 64 * 1024;

const STREAM_TYPES = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/json',
  'application/octet-stream',
  'application/gzip',
  'text/plain',
]);

/**
 * Judges a body by its headers, before any of it is read.
 * @throws ServiceError `media_type_unsupported`, `body_too_large`
 */
export function checkBodyHeaders(
  endpoint: Endpoint,
  headers: IncomingMessage['headers'],
  limits: BodyLimits,
): void {
  const { body: kind } = endpoint;
  if (kind === 'none') return;
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    return;
  }
  const type = mediaType(headers['content-type']);
  if (!accepts(kind, type)) {
    throw unsupported(type === '' ? 'a body without Content-Type' : `Content-Type ${type}`);
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && !(kind === 'stream' && encoding === 'gzip')) {
    throw unsupported(`Content-Encoding ${encoding}`);
  }
  const limit = limitOf(endpoint, limits);
  if (kind !== 'stream' && Number(length) > limit) throw tooLarge(limit);
}

/** Bytes of a body that is read whole. */
function limitOf({ operation }: Endpoint, limits: BodyLimits): number {
  return operation === null ? limits.anonymousBodyLimitBytes : limits.bodyLimitBytes;
}

/** Registers the parser. */
export function registerBodyParser(
  app: FastifyInstance,
  limits: BodyLimits,
  { bodies, bodyTimeoutMs }: Capacity,
  scheduler: CooperativeScheduler,
): void {
  const queries = new RepeatedBodies();
  app.removeAllContentTypeParsers();
  const bodyOf = (bytes: Buffer, kind: BodyKind, { headers }: FastifyRequest): unknown => {
    if (kind === 'query') return queries.read(bytes);
    return kind === 'form' ? parseForm(bytes, headers['content-type']) : parseJsonBody(bytes);
  };
  app.addContentTypeParser('*', (request, payload, done) => {
    const { endpoint } = request;
    const kind = endpoint?.body ?? 'none';
    if (kind === 'stream') {
      done(null, payload);
      return;
    }
    if (endpoint === null || kind === 'none') {
      payload.resume();
      done(null);
      return;
    }
    const party = partyOf(request);
    const limit = limitOf(endpoint, limits);
    const arrived = bodies.arrived(payload, party, limit);
    const isFields = kind === 'form' && isMultipart(request);
    if (arrived !== null && !isFields) {
      done(null, bodyOf(arrived, kind, request));
      return;
    }
    const onHeld = (memory: BodyMemory) => {
      request.bodyMemory = memory;
    };
    const read =
      arrived === null ? bodies.read(payload, party, limit, onHeld) : Promise.resolve(arrived);
    const parse = async (bytes: Buffer): Promise<unknown> => {
      if (isFields) return fieldsOf(bytes, request);
      if (bytes.length <= SMALL_BYTES) return bodyOf(bytes, kind, request);
      const once = parsing(() => bodyOf(bytes, kind, request));
      return scheduler.run(once, { timeoutMs: bodyTimeoutMs });
    };
    read.then(parse).then(
      (value) => done(null, value),
      (error: Error) => {
        request.bodyMemory?.free();
        done(error);
      },
    );
  });
}

/** Parsing as work for the scheduler, which then does not parse two large bodies in one turn of the event loop. */
// biome-ignore lint/correctness/useYield: JSON.parse cannot be interrupted
function* parsing(parse: () => unknown): Generator<void, unknown> {
  return parse();
}

/** Gives the memory of a body back when its request has been answered. */
export function freeBodyAfter({ bodyMemory }: FastifyRequest, response: ServerResponse): void {
  if (bodyMemory === null) return;
  const free = () => bodyMemory.free();
  if (response.destroyed) free();
  else response.once('close', free);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the body holds until the request has been answered; null where that is too little to count. */
    bodyMemory: BodyMemory | null;
  }
}

/** Lower case, without parameters. */
function mediaType(header: string | undefined): string {
  return header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function accepts(kind: BodyKind, type: string): boolean {
  switch (kind) {
    case 'none':
      return true;
    case 'json':
    case 'query':
      return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type);
    case 'json-patch':
      return type === 'application/json-patch+json';
    case 'stream':
      return STREAM_TYPES.has(type);
    case 'form':
      return (
        type === 'application/x-www-form-urlencoded' ||
        type === 'multipart/form-data' ||
        type === 'application/json'
      );
  }
}

function parseForm(bytes: Buffer, type: string | undefined): unknown {
  if (mediaType(type) === 'application/json') return parseJsonBody(bytes);
  return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
}

function isMultipart({ headers }: FastifyRequest): boolean {
  return mediaType(headers['content-type']) === 'multipart/form-data';
}

/** The fields of a multipart form; of a repeated one the last. */
async function fieldsOf(bytes: Buffer, { headers }: FastifyRequest): Promise<object> {
  const type = headers['content-type'] ?? '';
  const fields = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw malformed('the multipart form has no boundary, or breaks off');
    });
  for (const value of fields.values()) {
    if (typeof value !== 'string') throw malformed('a file is not taken here');
  }
  return Object.fromEntries(fields);
}

function malformed(cause: string): ServiceError {
  return new ServiceError('body_malformed', 'The form could not be read.', { causes: [cause] });
}

function unsupported(what: string): ServiceError {
  return new ServiceError('media_type_unsupported', 'The body has a type that is not taken here.', {
    causes: [`${what} is not taken here`],
  });
}
