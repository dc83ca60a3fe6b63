// Reading bodies. One parser takes all content types, because what a body must be is a property of the route, and
// it runs after the caller was admitted: who may not ask does not get us to read. A body has a size, a share of
// the memory that all bodies together may hold, and a time to arrive in.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { clientGone } from './client-gone.ts';
import type { BodyKind } from './endpoint.ts';
import { parseJsonBody } from './json-body.ts';
import { RepeatedBodies } from './repeated-bodies.ts';

export interface BodyLimits {
  /** Bytes of a JSON or form body; streams have no limit. */
  readonly bodyLimitBytes: number;
  /** Bytes that bodies being read may hold together. */
  readonly bodyMemoryBytes: number;
  /** Milliseconds in which a body must have arrived; streams are only bound by the idle time of their connection. */
  readonly bodyTimeoutMs: number;
}

/** Seconds after which a caller that met full memory may try again. */
const RETRY_AFTER_SECONDS = 1;

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
  kind: BodyKind,
  headers: IncomingMessage['headers'],
  limits: BodyLimits,
): void {
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
  if (kind !== 'stream' && Number(length) > limits.bodyLimitBytes) {
    throw tooLarge(limits.bodyLimitBytes);
  }
}

/** Registers the parser. Multipart forms have a parser of their own (routes/oauth.ts). */
export function registerBodyParser(app: FastifyInstance, limits: BodyLimits): void {
  const reader = new BodyReader(limits);
  const queries = new RepeatedBodies();
  app.removeAllContentTypeParsers();
  const bodyOf = (bytes: Buffer, kind: BodyKind, { headers }: FastifyRequest): unknown => {
    if (kind === 'query') return queries.read(bytes);
    return kind === 'form'
      ? parseForm(bytes, mediaType(headers['content-type']))
      : parseJsonBody(bytes);
  };
  app.addContentTypeParser('*', (request, payload, done) => {
    const kind = request.endpoint?.body ?? 'none';
    if (kind === 'stream') {
      done(null, payload);
      return;
    }
    if (kind === 'none') {
      payload.resume();
      done(null);
      return;
    }
    const arrived = reader.arrived(payload);
    if (arrived !== null) done(null, bodyOf(arrived, kind, request));
    else {
      const read = reader.read(payload).then((bytes) => bodyOf(bytes, kind, request));
      read.then((value) => done(null, value), done);
    }
  });
}

/** Closes the connection of a request whose body has not arrived after `timeoutMs`. */
export function boundBodyTime(request: IncomingMessage, timeoutMs: number): void {
  if (request.complete || request.readableEnded) return;
  const timer = setTimeout(() => request.destroy(), timeoutMs);
  const clear = () => clearTimeout(timer);
  request.once('end', clear).once('close', clear);
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

function parseForm(bytes: Buffer, type: string): unknown {
  if (type === 'application/json') return parseJsonBody(bytes);
  return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
}

/** Collects bodies within the limits. */
class BodyReader {
  readonly #limits: BodyLimits;
  #held = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  read(payload: IncomingMessage): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const settle = (act: () => void) => {
        clearTimeout(timer);
        payload.off('data', onData).off('end', onEnd).off('close', onClose);
        this.#held -= length;
        act();
      };
      const onData = (chunk: Buffer) => {
        length += chunk.length;
        this.#held += chunk.length;
        if (length > this.#limits.bodyLimitBytes) {
          settle(() => reject(tooLarge(this.#limits.bodyLimitBytes)));
        } else if (this.#held > this.#limits.bodyMemoryBytes) {
          settle(() => reject(busy()));
        } else chunks.push(chunk);
      };
      const onEnd = () => {
        const [first] = chunks;
        const whole = chunks.length === 1 && first ? first : Buffer.concat(chunks, length);
        settle(() => resolve(whole));
      };
      const onClose = () => settle(() => reject(clientGone()));
      const timer = setTimeout(() => payload.destroy(), this.#limits.bodyTimeoutMs);
      payload.on('data', onData).once('end', onEnd).once('close', onClose);
    });
  }

  /** A body that came together with its headers, as small ones do: nobody need wait for it. null: one that did not. */
  arrived(payload: IncomingMessage): Buffer | null {
    const { readableLength: length, headers } = payload;
    const { bodyLimitBytes, bodyMemoryBytes } = this.#limits;
    if (length === 0 || Number(headers['content-length']) !== length) return null;
    if (length > bodyLimitBytes || this.#held + length > bodyMemoryBytes) return null;
    const bytes = payload.read() as Buffer | null;
    payload.resume();
    return bytes;
  }
}

function unsupported(what: string): ServiceError {
  return new ServiceError('media_type_unsupported', 'The body has a type that is not taken here.', {
    causes: [`${what} is not taken here`],
  });
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('body_too_large', 'The body is too large.', {
    causes: [`more than ${limitBytes} bytes`],
  });
}

function busy(): ServiceError {
  return new ServiceError('unavailable', 'Too many bodies are being read.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
