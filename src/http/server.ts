// The HTTP server under Fastify: time limits, TLS, and the response to bytes that are not HTTP. It
// closes slow or silent clients: headers have a deadline, everything else an idle timeout.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { RequestSettings } from '../config/settings/requests.ts';
import { ServiceError } from '../errors.ts';
import type { RefusalMeter } from './admission/capacity.ts';
import { TrustedProxies } from './admission/client-address.ts';
import { limitConnections } from './admission/connections.ts';
import { paceRequests } from './admission/paced-requests.ts';
import { onePerConnection } from './admission/pipelines.ts';
import type { ProcessCounts } from './admission/process-counts.ts';
import { secureContextOf, type TlsFiles } from './certificate-pair.ts';
import { iscBody } from './responses/error-body.ts';

export interface ServerLimits
  extends Pick<
    RequestSettings,
    'headerLimit' | 'headersTimeoutMs' | 'maxConnections' | 'maxConnectionsPerAddress'
  > {
  /** Milliseconds a connection may be idle in the middle of a request or a response. */
  readonly idleTimeoutMs: number;
  /** Milliseconds an idle connection is kept for the next request. */
  readonly keepAliveTimeoutMs: number;
  /** Addresses and networks of proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Listens on a socket of this machine, whose connections have no address and no limit. */
  readonly isLocal?: boolean;
  /** What the threads of the process count together; left out: this thread counts alone. */
  readonly counts?: ProcessCounts | undefined;
}

/** How often Node checks for connections that have timed out. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Creates a server that passes requests to `listener`.
 * @param meter counts refused connections; null: they are not counted
 */
export function makeServer(
  listener: RequestListener,
  limits: ServerLimits,
  tls: Pick<TlsFiles, 'cert' | 'key'> | null,
  meter: RefusalMeter | null,
): Server {
  const proxies = new TrustedProxies(limits.trustedProxies);
  const options = {
    maxHeaderSize: limits.headerLimit,
    headersTimeout: limits.headersTimeoutMs,
    // Imports may take hours; other bodies have their own time limit (request-body.ts).
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, limits.headersTimeoutMs),
    noDelay: true,
    // Node would answer without our headers and body; admission.ts refuses such requests.
    requireHostHeader: false,
  };
  const onRequest = onePerConnection(
    paceRequests(
      limits.trustedProxies.length === 0
        ? listener
        : (request, response) => {
            proxies.normalise(request.headers, request.socket.remoteAddress);
            listener(request, response);
          },
    ),
  );
  const server =
    tls === null
      ? createServer(options, onRequest)
      : createTlsServer({ ...options, ...secureContextOf(tls) }, onRequest);
  // An expectation that nobody knows may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', onRequest);
  server.setTimeout(limits.idleTimeoutMs);
  if (limits.isLocal === true) return server;
  const onRefused = () => meter?.refused('address_connections');
  limitConnections(server, { ...limits, proxies, onRefused }, limits.counts);
  return server;
}

/** Answers a connection whose bytes the HTTP parser rejected, and closes it. */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  trackingId: string,
  log: Logger,
): void {
  log.debug({ trackingId, code: error.code }, 'connection refused');
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const { statusLine, detailCode, text } = refusalOf(error.code);
  const fault = new ServiceError('request_invalid', text);
  const body = JSON.stringify(iscBody(fault, { detailCode, text }, trackingId, undefined));
  socket.end(
    `HTTP/1.1 ${statusLine}\r\nSLPT-Request-ID: ${trackingId}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function refusalOf(code: string | undefined) {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        statusLine: '431 Request Header Fields Too Large',
        detailCode: '431 Request header fields too large',
        text: 'The headers of the request are too large.',
      };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return {
        statusLine: '408 Request Timeout',
        detailCode: '408 Request timeout',
        text: 'The request did not arrive in time.',
      };
    default:
      return {
        statusLine: '400 Bad Request',
        detailCode: '400.0 Bad request syntax error',
        text: 'The bytes are not an HTTP request.',
      };
  }
}
