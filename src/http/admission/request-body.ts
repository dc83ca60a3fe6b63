// Checks and parses request bodies. One parser handles all content types, because the expected type
// depends on the route. It runs after admission, so the server reads no bodies of unauthorized
// callers; admission/ limits how they are read.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestSettings } from '../../config/settings/requests.ts';
import { type ErrorDetails, ServiceError } from '../../errors.ts';
import { oneStep } from '../../query/steps.ts';
import type { CooperativeScheduler } from '../../scheduling/cooperative.ts';
import { Deadline } from '../../scheduling/deadline.ts';
import type { BodyKind, Endpoint } from '../requests/endpoint.ts';
import type { BodyMemory } from './body-pool.ts';
import { tooLarge } from './body-reader.ts';
import { type Capacity, partyOf } from './capacity.ts';
import { parseJsonBody } from './json-body.ts';

/** Streams have no limit. */
export type BodyLimits = Pick<RequestSettings, 'bodyLimit' | 'anonymousBodyLimit'>;

/** Bodies up to this size are parsed at once; larger ones run in the scheduler. */
const SMALL_BYTES = 64 * 1024;

/** Any structured type with the syntax of JSON (RFC 6839 section 3.1). */
const ANY_JSON = 'application/*+json';
const SOME_JSON = /^application\/[\w.-]+\+json$/;
const JSON_TYPES = ['application/json', ANY_JSON];

/** The media types of each kind of body. */
const MEDIA_TYPES: Readonly<Record<Exclude<BodyKind, 'none'>, readonly string[]>> = {
  json: JSON_TYPES,
  query: JSON_TYPES,
  'json-patch': ['application/json-patch+json'],
  stream: [
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/json',
    'application/octet-stream',
    'application/gzip',
    'text/plain',
    'text/csv',
  ],
  form: ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'],
};

/**
 * Checks the headers of a body before any of it is read.
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
  const accept = MEDIA_TYPES[kind];
  if (!accept.some((one) => one === type || (one === ANY_JSON && SOME_JSON.test(type)))) {
    const sent = type === '' ? 'a body without Content-Type' : `Content-Type ${type}`;
    throw unsupported(sent, { accept });
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const acceptEncoding = kind === 'stream' ? ['gzip', 'identity'] : ['identity'];
  if (!acceptEncoding.includes(encoding)) {
    throw unsupported(`Content-Encoding ${encoding}`, { acceptEncoding });
  }
  const limit = limitOf(endpoint, limits);
  if (kind !== 'stream' && Number(length) > limit) throw tooLarge(limit);
}

/** Most bytes of a body that is not streamed. */
function limitOf({ operation }: Endpoint, limits: BodyLimits): number {
  return operation === null ? limits.anonymousBodyLimit : limits.bodyLimit;
}

/** Registers the body parser. */
export function registerBodyParser(
  app: FastifyInstance,
  limits: BodyLimits,
  { bodies, bodyTimeoutMs }: Capacity,
  scheduler: CooperativeScheduler,
): void {
  app.removeAllContentTypeParsers();
  const bodyOf = (bytes: Buffer, kind: BodyKind, { headers }: FastifyRequest): unknown => {
    if (kind !== 'form') return parseJsonBody(bytes);
    // Parameters may all be in the query or the header Authorization, whatever the Content-Type.
    return bytes.length === 0 ? {} : parseForm(bytes, headers['content-type']);
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
    const arrived = bodies.takeArrived(payload, party, limit);
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
      if (isFields && bytes.length > 0) return fieldsOf(bytes, request);
      if (bytes.length <= SMALL_BYTES) return bodyOf(bytes, kind, request);
      // As work for the scheduler, which never parses two large bodies in one turn.
      const parsing = oneStep(() => bodyOf(bytes, kind, request));
      return scheduler.run(parsing, { deadline: new Deadline(bodyTimeoutMs) });
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

/** Gives back the memory of a body when its request has been answered. */
export function freeBodyAfter({ bodyMemory }: FastifyRequest, response: ServerResponse): void {
  if (bodyMemory === null) return;
  const free = () => bodyMemory.free();
  if (response.destroyed) free();
  else response.once('close', free);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Memory held by the body until the request has been answered; null for small bodies. */
    bodyMemory: BodyMemory | null;
  }
}

/** The media type in lower case, without parameters. */
function mediaType(header: string | undefined): string {
  return header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function parseForm(bytes: Buffer, type: string | undefined): unknown {
  if (mediaType(type) === 'application/json') return parseJsonBody(bytes);
  return membersOf(new URLSearchParams(bytes.toString('utf8')));
}

function isMultipart({ headers }: FastifyRequest): boolean {
  return mediaType(headers['content-type']) === 'multipart/form-data';
}

/** The fields of a form; a repeated one has a list of its values. */
function membersOf(fields: Iterable<[string, string]>): Record<string, string | string[]> {
  const members = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const values = members.get(name);
    if (values === undefined) members.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries(
    [...members].map(([name, values]) => [name, values.length > 1 ? values : (values[0] ?? '')]),
  );
}

/** Parses a multipart form. */
async function fieldsOf(bytes: Buffer, { headers }: FastifyRequest): Promise<object> {
  const type = headers['content-type'] ?? '';
  const fields = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw malformed('the multipart form has no boundary, or is incomplete');
    });
  const texts = [...fields].map(([name, value]): [string, string] => {
    if (typeof value !== 'string') throw malformed('files are not supported here');
    return [name, value];
  });
  return membersOf(texts);
}

function malformed(cause: string): ServiceError {
  return new ServiceError('body_malformed', 'The form could not be read.', { causes: [cause] });
}

/** The refusal of a body, which names what is accepted instead. */
function unsupported(
  sent: string,
  accepted: Pick<ErrorDetails, 'accept' | 'acceptEncoding'>,
): ServiceError {
  const names = accepted.accept ?? accepted.acceptEncoding ?? [];
  return new ServiceError(
    'media_type_unsupported',
    'The media type of the body is not supported here.',
    { ...accepted, causes: [`${sent} is not supported here; send ${listOf(names)}`] },
  );
}

/** `a, b or c`. */
function listOf(names: readonly string[]): string {
  const [last = '', ...others] = [...names].reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`;
}
