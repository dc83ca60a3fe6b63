// Sends responses. Header names that clients read by exact spelling are set on Node's response,
// since Fastify lower-cases names; searches bypass Fastify's reply altogether, since their body is
// already bytes.
// Invariant: every response has SLPT-Request-ID.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../auth/caller.ts';
import type { AnswerMemory } from '../../service/ports/search-backend.ts';
import type { AnswerPiece } from '../../service/searching/search.ts';
import { refuseChangedReader } from '../../service/views/views-in-force.ts';
import type { Answers } from '../admission/answers.ts';
import { type Capacity, partyOf } from '../admission/capacity.ts';
import { callerOf } from '../requests/endpoint.ts';
import { BUFFER_BYTES, joinPieces } from './join-pieces.ts';
import { sendInPieces } from './large-answer.ts';
import { sendStream } from './streamed-answer.ts';
import { WARNING } from './warning-header.ts';

declare module 'fastify' {
  interface FastifyReply extends AnswerMemory {}
  interface FastifyInstance {
    /**
     * `stopping`: every response closes its connection. `strictTransport`: every response has
     * Strict-Transport-Security. `servesGuide`: errors lead to the guide.
     */
    readonly life: {
      stopping: boolean;
      readonly strictTransport: boolean;
      readonly servesGuide: boolean;
    };
    /** Logs the error that cuts off a response; Fastify's own log is off. */
    logCutOff(error: unknown, request: FastifyRequest): void;
  }
}

const TRACKING = 'SLPT-Request-ID';
const TOTAL = 'X-Total-Count';
export const JSON_TYPE = 'application/json; charset=utf-8';
export const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8';
/** Spelled as in the published API. */
export const CSV_TYPE = 'text/csv;charset=utf-8';
/** Responses hold rights and personal data, so no cache may store them. */
const NO_STORE = 'no-cache, no-store, must-revalidate';
/** Bodies up to this size are sent as strings, which Node joins to the headers in one write. */
const JOINED_BYTES = 16 * 1024;
/** A year (RFC 6797 section 6.1.1). */
const STRICT_TRANSPORT_POLICY = 'max-age=31536000';
const EXPOSED_HEADERS = `ETag, Retry-After, ${TRACKING}, ${TOTAL}, ${WARNING}`;

/** Sets the common headers on Node's response; a Cache-Control of the route is kept. */
export function writeCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = reply;
  addCommonHeaders(request, (name, value) => raw.setHeader(name, value));
  if (!reply.hasHeader('cache-control') && !raw.hasHeader('cache-control')) {
    raw.setHeader('Cache-Control', NO_STORE);
  }
}

/** Adds what every response has but Cache-Control, which a route may set. */
function addCommonHeaders(
  { id, server }: FastifyRequest,
  add: (name: string, value: string) => void,
): void {
  add(TRACKING, id);
  add('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  add('X-Content-Type-Options', 'nosniff');
  const { stopping, strictTransport } = server.life;
  if (strictTransport) add('Strict-Transport-Security', STRICT_TRANSPORT_POLICY);
  if (stopping) add('Connection', 'close');
}

/** Sets `X-Total-Count` of a response that Fastify sends; null: no such header. */
export function writeTotal(reply: FastifyReply, total: number | null): void {
  if (total !== null) reply.raw.setHeader(TOTAL, String(total));
}

/** The capacity that sending a response uses. */
export type SendCapacity = Pick<Capacity, 'answers' | 'turns' | 'buffers'>;

/**
 * Answers 200 with a body of bytes, bypassing Fastify's reply.
 * @param body the pieces of the body, in order
 * @param total value of `X-Total-Count`; null: no such header
 * @param capacity counts the bytes that the client has not read yet, and schedules the pieces of a
 *   large response
 * @throws ServiceError `unavailable` if there is no memory for the response
 */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  body: readonly AnswerPiece[],
  contentType: string,
  total: number | null,
  { answers, turns, buffers }: SendCapacity,
): void {
  const { raw } = reply;
  const party = partyOf(request);
  let length = 0;
  for (const piece of body) length += piece.length;
  answers.check(party, length, raw);
  reply.hijack();
  if (raw.destroyed) return;
  const headers = headersOf(request, total);
  headers.push('Content-Type', contentType, 'Content-Length', String(length));
  raw.writeHead(200, headers);
  if (length > BUFFER_BYTES) {
    answers.hold(party, length, raw);
    sendInPieces(raw, body, buffers, (turn) => turns.enter(party, turn));
    return;
  }
  const answer = joinPieces(buffers, body, length);
  if (length <= JOINED_BYTES) {
    // latin1 maps each byte to one character and back.
    raw.end(answer.bytes.toString('latin1'), 'latin1');
    answer.release();
  } else {
    // After an error the socket may still hold the buffer, so it is not reused.
    raw.end(answer.bytes, (error?: Error | null) => {
      if (!error && raw.writableFinished) answer.release();
    });
  }
  const { socket } = raw;
  // The kernel usually takes all bytes at once: no timer is needed, and the buffer is reused while
  // cached.
  if (socket !== null && socket.writableLength === 0) answer.release();
  else answers.hold(party, length, raw);
}

/**
 * Answers 200 with a body of unknown length, bypassing Fastify's reply. An error after the first piece
 * closes the connection, so that the client notices the incomplete body; so does the loss of a right.
 * @param total value of `X-Total-Count`; null: no such header
 * @throws ServiceError errors of the first piece; `unavailable` if there is no memory for the response
 */
export async function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  pieces: AsyncGenerator<Uint8Array>,
  contentType: string,
  total: number | null,
  { answers, turns }: SendCapacity,
): Promise<void> {
  const { raw } = reply;
  const party = partyOf(request);
  try {
    await sendStream(whileAllowed(pieces, callerOf(request)), {
      ...{ response: raw, party, answers },
      enter: (turn) => turns.enter(party, turn),
      writeHead() {
        reply.hijack();
        raw.writeHead(200, [...headersOf(request, total), 'Content-Type', contentType]);
      },
    });
  } catch (error) {
    if (!raw.headersSent) throw error;
    request.server.logCutOff(error, request);
    raw.destroy();
  }
}

/** The pieces of an answer, as long as its caller may have them. */
async function* whileAllowed(
  pieces: AsyncGenerator<Uint8Array>,
  caller: Caller,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece;
    await refuseChangedReader(caller);
  }
}

/** Responses sent by Fastify count from this size on. */
const COUNTED_BYTES = 16 * 1024;

/**
 * Counts the memory of larger responses that Fastify sends, and refuses those that do not fit. A
 * reply is the memory of its answer: a method of all replies, where one for each request would cost
 * every search an object.
 */
export function holdAnswers(app: FastifyInstance, answers: Answers): void {
  app.decorateReply('holdBytes', function (bytes) {
    answers.reserve(partyOf(this.request), bytes, this.raw);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const isCounted = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isCounted && payload.length >= COUNTED_BYTES) {
      const party = partyOf(request);
      try {
        answers.check(party, payload.length, reply.raw);
      } catch (error) {
        done(error as Error);
        return;
      }
      answers.hold(party, payload.length, reply.raw);
    }
    done(null, payload);
  });
}

/** Answers 204 with the total only, bypassing Fastify's reply. */
export function sendTotal(request: FastifyRequest, reply: FastifyReply, total: number): void {
  reply.hijack();
  if (!reply.raw.destroyed) reply.raw.writeHead(204, headersOf(request, total)).end();
}

/** The common headers as name-value pairs. @param total `X-Total-Count`; null: no such header */
function headersOf(request: FastifyRequest, total: number | null): string[] {
  const headers: string[] = ['Cache-Control', NO_STORE];
  addCommonHeaders(request, (name, value) => headers.push(name, value));
  if (total !== null) headers.push(TOTAL, String(total));
  return headers;
}
