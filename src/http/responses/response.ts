// How answers leave. Header names that clients read by exact spelling are written straight to Node's response,
// since Fastify lower-cases names; searches write everything straight, since their body is ready-made bytes.
// Invariant: every answer carries SLPT-Request-ID, whoever wrote it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answers } from '../admission/answers.ts';
import { type Capacity, partyOf } from '../admission/capacity.ts';
import type { AnswerPiece } from '../services.ts';
import { BUFFER_BYTES, joinPieces } from './answer-buffers.ts';
import { sendInPieces } from './large-answer.ts';
import { WARNING } from './warning-header.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Whether the service is stopping: then every answer closes its connection. Whether answers tell browsers to use TLS alone.
     */
    readonly life: { stopping: boolean; readonly strictTransport: boolean };
  }
}

const TRACKING = 'SLPT-Request-ID';
const TOTAL = 'X-Total-Count';
export const JSON_TYPE = 'application/json; charset=utf-8';
/** Spelt as the published API spells it. */
export const CSV_TYPE = 'text/csv;charset=utf-8';
/** Answers hold rights and personal data: nobody on the way keeps them. */
const NOT_KEPT = 'no-cache, no-store, must-revalidate';
/** Up to this size a body is joined to its headers: Node does that with strings only, and one write beats two. */
const JOINED_BYTES = 16 * 1024;
const STRICT_TRANSPORT = 'Strict-Transport-Security';
/** A year (RFC 6797 section 6.1.1). */
const STRICT_TRANSPORT_POLICY = 'max-age=31536000';
const EXPOSED = `ETag, Retry-After, ${TRACKING}, ${TOTAL}, ${WARNING}`;

/** The headers of every answer, on Node's response; what a route set itself stays. */
export function writeCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = reply;
  raw.setHeader(TRACKING, request.id);
  raw.setHeader('Access-Control-Expose-Headers', EXPOSED);
  raw.setHeader('X-Content-Type-Options', 'nosniff');
  if (!reply.hasHeader('cache-control') && !raw.hasHeader('cache-control')) {
    raw.setHeader('Cache-Control', NOT_KEPT);
  }
  const { stopping, strictTransport } = request.server.life;
  if (strictTransport) raw.setHeader(STRICT_TRANSPORT, STRICT_TRANSPORT_POLICY);
  if (stopping) raw.setHeader('Connection', 'close');
}

/** What an answer takes while it is sent. */
export type SendCapacity = Pick<Capacity, 'answers' | 'turns'>;

/** As sendBytes, with JSON. */
export function sendJsonBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  body: readonly AnswerPiece[],
  total: number | null,
  capacity: SendCapacity,
): void {
  sendBytes(request, reply, body, JSON_TYPE, total, capacity);
}

/**
 * Answers 200 with what is bytes already, past Fastify's own reply.
 * @param body in pieces, which are not looked into
 * @param total for `X-Total-Count`; null leaves it out
 * @param capacity holds what the client has not taken yet, and gives the pieces of a large answer their turns
 * @throws ServiceError `unavailable` where there is no memory for the answer
 */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  body: readonly AnswerPiece[],
  contentType: string,
  total: number | null,
  { answers, turns }: SendCapacity,
): void {
  const { raw } = reply;
  const party = partyOf(request);
  let length = 0;
  for (const piece of body) length += piece.length;
  answers.check(party, length);
  reply.hijack();
  if (raw.destroyed) return;
  const headers = headersOf(request, total);
  headers.push('Content-Type', contentType, 'Content-Length', String(length));
  raw.writeHead(200, headers);
  if (length > BUFFER_BYTES) {
    answers.hold(party, length, raw);
    sendInPieces(raw, body, (turn) => turns.enter(party, turn));
    return;
  }
  const answer = joinPieces(body);
  let isFree = false;
  const free = () => {
    if (!isFree) answer.giveBack();
    isFree = true;
  };
  if (length <= JOINED_BYTES) {
    // As many characters as bytes; written as latin1 they are the same bytes again.
    raw.end(answer.bytes.toString('latin1'), 'latin1');
    free();
  } else {
    // Of a connection that broke, the socket may still hold it.
    raw.end(answer.bytes, (error?: Error | null) => {
      if (!error && raw.writableFinished) free();
    });
  }
  const { socket } = raw;
  // As mostly, the kernel has all of it: no timer, and the next answer may use the buffer while it is in the cache.
  if (socket !== null && socket.writableLength === 0) free();
  else answers.hold(party, length, raw);
}

/** Counts the answers that Fastify sends, from this size on, as the others are counted. */
const COUNTED_BYTES = 16 * 1024;

/** Holds memory for the larger answers that the framework writes, and refuses those that there is none for. */
export function holdAnswers(app: FastifyInstance, answers: Answers): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isCounted = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isCounted && payload.length >= COUNTED_BYTES) {
      const party = partyOf(request);
      try {
        answers.check(party, payload.length);
      } catch (error) {
        done(error as Error);
        return;
      }
      answers.hold(party, payload.length, reply.raw);
    }
    done(null, payload);
  });
}

/** Answers 204 with the total alone, past Fastify's own reply. */
export function sendTotal(request: FastifyRequest, reply: FastifyReply, total: number): void {
  reply.hijack();
  if (!reply.raw.destroyed) reply.raw.writeHead(204, headersOf(request, total)).end();
}

/** The headers of every answer, in pairs. @param total for `X-Total-Count`; null leaves it out */
function headersOf(request: FastifyRequest, total: number | null): string[] {
  const headers = [
    TRACKING,
    request.id,
    'Cache-Control',
    NOT_KEPT,
    'Access-Control-Expose-Headers',
    EXPOSED,
    'X-Content-Type-Options',
    'nosniff',
  ];
  if (total !== null) headers.push(TOTAL, String(total));
  const { stopping, strictTransport } = request.server.life;
  if (strictTransport) headers.push(STRICT_TRANSPORT, STRICT_TRANSPORT_POLICY);
  if (stopping) headers.push('Connection', 'close');
  return headers;
}
