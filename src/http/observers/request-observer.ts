// The port through which a server for tests sees the requests of its tenants and injects faults,
// and the hooks that report to it. A server without powers for tests has none of these hooks.
// Invariant: a request to one of the powers themselves is neither seen nor disturbed, so nobody can
// lock themselves out.
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { freeBodyAfter } from '../admission/request-body.ts';
import { loggablePath } from '../requests/request-url.ts';
import { InjectedFault } from '../responses/injected-fault.ts';
import { WARNING } from '../responses/warning-header.ts';

/** A request whose tenant is known. */
export interface ObservedRequest {
  readonly tenantId: string;
  readonly clientId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The parsed body; undefined if there is none, or it was not read. May hold secrets. */
  readonly body: unknown;
}

export interface Outcome {
  /** null: the connection was closed without a whole answer. */
  readonly status: number | null;
  /** Epoch milliseconds. */
  readonly began: number;
  readonly ended: number;
  /** Seconds of the header Retry-After. */
  readonly retryAfter: number | null;
  /** True if a fault was injected. */
  readonly fault: boolean;
  /** True if the answer has the header Warning. */
  readonly warned: boolean;
}

/** What a fault does; see docs/testing.md. */
export interface Fault {
  readonly status?: number;
  readonly retryAfter?: number;
  readonly delayMs?: number;
  readonly drop?: true;
  readonly truncate?: number;
}

export interface RequestObserver {
  /** The tenant of a client that asks for a token; null if there is no such client. */
  tenantOf(clientId: string): Promise<string | null>;
  /** The fault of a request; null: none. */
  faultFor(request: ObservedRequest): Fault | null;
  ended(request: ObservedRequest, outcome: Outcome): void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly isTestPower?: boolean;
  }
  interface FastifyRequest {
    /** Set on a server for tests, when the request is admitted. */
    observation: Observation | null;
  }
}

/** The client that sent a request. */
type Client = Pick<ObservedRequest, 'tenantId' | 'clientId'>;

interface Observation {
  readonly began: number;
  /** null: it is not known yet, or unknown. */
  client: Client | null;
  fault: Fault | null;
  reported: boolean;
}

/** A request with this header prepares or inspects a test, and is not the program under test. */
const SETUP_HEADER = 'cardea-test';

/** Reports requests to the observer, and injects its faults. */
export function observeRequests(app: FastifyInstance, observer: RequestObserver): void {
  app.decorateRequest('observation', null);
  app.addHook('onRequest', (request, _reply, done) => {
    if (isObserved(request)) {
      request.observation = { began: Date.now(), client: null, fault: null, reported: false };
    }
    done();
  });
  app.addHook('preHandler', async (request, reply) => {
    const { observation } = request;
    if (observation === null) return;
    observation.client = await clientOf(request, observer);
    if (observation.client === null) return;
    const fault = observer.faultFor(observedRequest(request, observation.client));
    if (fault === null) return;
    observation.fault = fault;
    // No handler follows that would free it.
    if (fault.drop === true || fault.status !== undefined) freeBodyAfter(request, reply.raw);
    await inject(fault, request, reply, () => report(request, reply, observer, null));
  });
  app.addHook('onResponse', (request, reply, done) => {
    report(request, reply, observer, reply.raw.statusCode);
    done();
  });
}

function isObserved(request: FastifyRequest): boolean {
  const { isTestPower = false } = request.routeOptions.config ?? {};
  return !isTestPower && request.headers[SETUP_HEADER] === undefined;
}

/** The client of an admitted request; null where it is unknown. */
async function clientOf(
  request: FastifyRequest,
  observer: RequestObserver,
): Promise<Client | null> {
  const caller = callingClient(request);
  if (caller !== null) return caller;
  if (request.endpoint?.path !== '/oauth/token') return null;
  const clientId = clientIdOf(request);
  const tenantId = clientId === null ? null : await observer.tenantOf(clientId);
  return clientId === null || tenantId === null ? null : { tenantId, clientId };
}

/** null before the request is admitted, and for one that needs no token. */
function callingClient({ caller }: FastifyRequest): Client | null {
  return caller === null ? null : { tenantId: caller.tenantId, clientId: caller.clientId };
}

/** The client that asks for a token: in the body, the query or HTTP Basic. */
function clientIdOf(request: FastifyRequest): string | null {
  for (const members of [request.body, request.query]) {
    if (typeof members !== 'object' || members === null) continue;
    const { client_id: id } = members as { client_id?: unknown };
    if (typeof id === 'string') return id;
  }
  const [, encoded = ''] = /^Basic +(\S+)/i.exec(request.headers.authorization ?? '') ?? [];
  const [id = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1);
  return id === '' ? null : id;
}

function observedRequest(request: FastifyRequest, client: Client): ObservedRequest {
  return {
    ...client,
    method: request.method,
    path: loggablePath(request.url),
    query: request.query as Record<string, unknown>,
    body: request.body,
  };
}

/** Reports a request once. @param status null: without a whole answer */
function report(
  request: FastifyRequest,
  reply: FastifyReply,
  observer: RequestObserver,
  status: number | null,
): void {
  const { observation } = request;
  if (observation === null || observation.reported) return;
  // The client of a request that was refused before its body was read has not been looked up.
  const client = observation.client ?? callingClient(request);
  if (client === null) return;
  observation.reported = true;
  const retryAfter = Number(reply.raw.getHeader('Retry-After') ?? Number.NaN);
  observer.ended(observedRequest(request, client), {
    status,
    began: observation.began,
    ended: Date.now(),
    retryAfter: Number.isInteger(retryAfter) ? retryAfter : null,
    fault: observation.fault !== null,
    warned: reply.raw.hasHeader(WARNING),
  });
}

/**
 * Injects a fault.
 * @param onCut called when the client gets no whole answer
 * @throws InjectedFault for one that is an answer
 */
async function inject(
  { delayMs, status, retryAfter, drop, truncate }: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  onCut: () => void,
): Promise<void> {
  if (delayMs !== undefined) await delay(delayMs, reply.raw);
  if (drop === true) {
    onCut();
    reply.hijack();
    request.raw.socket.destroy();
  } else if (truncate !== undefined) {
    truncateAnswer(reply.raw, truncate, onCut);
  } else if (status !== undefined) {
    throw new InjectedFault(status, retryAfter ?? null);
  }
}

/** Waits, or until the client is gone. */
function delay(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      response.off('close', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    response.once('close', end);
  });
}

/** Closes the connection after `bytes` bytes of the body; a shorter answer is sent whole. */
function truncateAnswer(raw: ServerResponse, bytes: number, onCut: () => void): void {
  const write = raw.write.bind(raw) as (chunk: Uint8Array, done?: () => void) => boolean;
  let left = bytes;
  let isCut = false;
  /** @returns whether the chunk was the one that is cut, or came after it */
  const cuts = (chunk: unknown, encoding: unknown): boolean => {
    if (isCut) return true;
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return false;
    const part =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : chunk;
    if (part.length <= left) {
      left -= part.length;
      return false;
    }
    isCut = true;
    onCut();
    const end = () => raw.socket?.destroy();
    if (left === 0) {
      raw.flushHeaders();
      setImmediate(end);
    } else write(part.subarray(0, left), end);
    return true;
  };
  for (const name of ['write', 'end'] as const) {
    const original = raw[name].bind(raw) as (...values: unknown[]) => never;
    raw[name] = ((...values: unknown[]) =>
      cuts(values[0], values[1]) ? raw : original(...values)) as never;
  }
}
