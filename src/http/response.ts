// How answers leave. Header names that clients read by exact spelling are written straight to Node's response,
// since Fastify lower-cases names; searches write everything straight, since their body is ready-made bytes.
// Invariant: every answer carries SLPT-Request-ID, whoever wrote it.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { joinPieces } from './answer-buffers.ts';
import { WARNING } from './warning-header.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the service is stopping: then every answer closes its connection. */
    readonly life: { stopping: boolean };
  }
}

const TRACKING = 'SLPT-Request-ID';
const TOTAL = 'X-Total-Count';
export const JSON_TYPE = 'application/json; charset=utf-8';
/** Spelt as the published API spells it. */
export const CSV_TYPE = 'text/csv;charset=utf-8';
/** Answers hold rights and personal data: nobody on the way keeps them. */
const NOT_KEPT = 'no-cache, no-store, must-revalidate';
const EXPOSED = `Retry-After, ${TRACKING}, ${TOTAL}, ${WARNING}`;

/** Up to this size a body is joined to its headers: Node does that with strings only, and one write beats two. */
const JOINED_BYTES = 16 * 1024;

/** The headers of every answer, on Node's response; what a route set itself stays. */
export function writeCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = reply;
  raw.setHeader(TRACKING, request.id);
  raw.setHeader('Access-Control-Expose-Headers', EXPOSED);
  raw.setHeader('X-Content-Type-Options', 'nosniff');
  if (!reply.hasHeader('cache-control') && !raw.hasHeader('cache-control')) {
    raw.setHeader('Cache-Control', NOT_KEPT);
  }
  if (request.server.life.stopping) raw.setHeader('Connection', 'close');
}

/** `X-Total-Count`, spelt so on the wire. */
export function writeTotal(reply: FastifyReply, total: number): void {
  reply.raw.setHeader(TOTAL, String(total));
}

/** As sendBytes, with JSON. */
export function sendJsonBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  body: readonly Uint8Array[],
  total: number | null,
  timeoutMs: number,
): void {
  sendBytes(request, reply, body, JSON_TYPE, total, timeoutMs);
}

/**
 * Answers 200 with what is bytes already, past Fastify's own reply.
 * @param body in pieces, which are not looked into
 * @param total for `X-Total-Count`; null leaves it out
 * @param timeoutMs in which the client must have taken the answer
 */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  body: readonly Uint8Array[],
  contentType: string,
  total: number | null,
  timeoutMs: number,
): void {
  const { raw } = reply;
  reply.hijack();
  if (raw.destroyed) return;
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const headers = [
    TRACKING,
    request.id,
    'Content-Type',
    contentType,
    'Content-Length',
    String(length),
    'Cache-Control',
    NOT_KEPT,
    'Access-Control-Expose-Headers',
    EXPOSED,
    'X-Content-Type-Options',
    'nosniff',
  ];
  if (total !== null) headers.push(TOTAL, String(total));
  if (request.server.life.stopping) headers.push('Connection', 'close');
  raw.writeHead(200, headers);
  const answer = joinPieces(body, length);
  if (length <= JOINED_BYTES) {
    // As many characters as bytes; written as latin1 they are the same bytes again.
    raw.end(answer.bytes.toString('latin1'), 'latin1');
    answer.giveBack();
  } else {
    // Of a connection that broke, the socket may still hold it.
    raw.end(answer.bytes, (error?: Error | null) => {
      if (!error && raw.writableFinished) answer.giveBack();
    });
  }
  boundReadTime(raw, timeoutMs);
}

/** Closes the connection of a client that has not taken the answer after `timeoutMs`. */
function boundReadTime(response: ServerResponse, timeoutMs: number): void {
  // A small answer is in the kernel's hands by now: no timer for it.
  if (response.socket === null || response.socket.writableLength === 0) return;
  const { socket } = response;
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  response.once('close', () => clearTimeout(timer));
}
