// Who gets in, before a byte of the body is read: the path, then the token (401), the rate (429), the right (403),
// then what the headers say of the body (415, 413), and whether there is room for one more (503). Also what becomes of a
// body nobody will read.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { authorize } from '../auth/access.ts';
import { apiKeyOf } from '../auth/api-key.ts';
import type { Caller } from '../auth/caller.ts';
import { ServiceError } from '../errors.ts';
import type { ServedEndpoint } from './endpoint.ts';
import type { Gate, RequestCeiling } from './gate.ts';
import type { RateLimit } from './rate-limit.ts';
import { type BodyLimits, boundBodyTime, checkBodyHeaders } from './request-body.ts';
import { checkTarget } from './request-url.ts';
import type { ActivityCounter, ApiKeys, Tokens } from './services.ts';

export interface AdmissionRules {
  readonly tokens: Tokens;
  readonly apiKeys: Pick<ApiKeys, 'verify'>;
  readonly activity: ActivityCounter;
  /** null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** What searches have to pass once their bodies have been read. */
  readonly searches: Pick<Gate, 'check'>;
  /** Of requests that change something. */
  readonly changes: RequestCeiling;
  readonly body: BodyLimits;
}

type OnRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
) => void;

/** The hook of one route. */
export function admit(endpoint: ServedEndpoint, rules: AdmissionRules): OnRequest {
  const { operation } = endpoint;
  if (operation === null) {
    return (request, _reply, done) => {
      request.endpoint = endpoint;
      done(fault(() => enter(request, endpoint, rules)));
    };
  }
  const activity = activityOf(endpoint);
  return (request, reply, done) => {
    request.endpoint = endpoint;
    identify(request.headers.authorization, endpoint, rules).then((caller) => {
      request.caller = caller;
      rules.activity.count(caller.tenantId, activity);
      const letIn = () =>
        fault(() => {
          authorize(caller, typeof operation === 'string' ? operation : operation(caller, request));
          enter(request, endpoint, rules);
          if (endpoint.body === 'query') rules.searches.check();
          if (activity === 'writes') rules.changes.enter(reply.raw);
        });
      let counted: undefined | Promise<void>;
      const tooMany = fault(() => {
        counted = rules.rateLimit?.admit(
          `${caller.tenantId} ${caller.clientId} ${endpoint.version}`,
        );
      });
      if (counted !== undefined) counted.then(() => done(letIn()), done);
      else done(tooMany ?? letIn());
    }, done);
  };
}

/** What a request of the route is counted as. An advanced search of profiles is a POST that only reads. */
function activityOf({
  method,
  operation,
}: ServedEndpoint): Parameters<ActivityCounter['count']>[1] {
  if (typeof operation === 'string' && operation.startsWith('search')) return 'searches';
  return method === 'GET' || operation === 'profiles:read' ? 'requests' : 'writes';
}

/** Who asks: by a token, or in profile management by an API key. */
function identify(
  authorization: string | undefined,
  { dialect }: ServedEndpoint,
  { tokens, apiKeys }: AdmissionRules,
): Promise<Caller> {
  const key = dialect === 'nerm' ? apiKeyOf(authorization) : null;
  return key === null ? tokens.verify(authorization) : apiKeys.verify(key);
}

/** The fault of a request that no route matches: 405 where another method would have matched, else 404. */
export function unmatched(
  endpoints: readonly ServedEndpoint[],
): (request: FastifyRequest) => Error {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of endpoints) {
    const known = methods.get(path) ?? new Set<string>();
    known.add(method);
    if (method === 'GET') known.add('HEAD');
    methods.set(path, known);
  }
  const known = [...methods].map(([path, allow]) => ({
    pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
    allow: [...allow].sort(),
  }));
  return (request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const match = known.find(({ pattern }) => pattern.test(path));
    if (match === undefined) {
      return new ServiceError('route_not_found', 'Nothing is served at this path.');
    }
    return new ServiceError('method_not_allowed', 'The path does not take this method.', {
      causes: [`the path takes ${match.allow.join(', ')}`],
      allow: match.allow,
    });
  };
}

/** Takes what is left of a body whose answer is already decided, for a while, so that the client gets to read it. */
export function drain(request: IncomingMessage, timeoutMs: number): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  boundBodyTime(request, timeoutMs);
  linger(request);
}

/**
 * Node closes both ways of a connection behind its last answer, and what still comes of a body is then met with a reset,
 * which overtakes the answer. While the body comes, our way alone is closed (as by `lingering_close` of nginx).
 */
function linger(request: IncomingMessage): void {
  const { socket } = request;
  const closeSoon = socket.destroySoon;
  const release = () => {
    socket.destroySoon = closeSoon;
  };
  socket.destroySoon = () => {
    socket.end();
    request.once('end', () => closeSoon.call(socket));
  };
  request.once('end', release);
}

function enter(request: FastifyRequest, endpoint: ServedEndpoint, rules: AdmissionRules): void {
  checkTarget(request.url);
  checkBodyHeaders(endpoint.body, request.headers, rules.body);
}

/** What `check` throws, for hooks that hand errors on. */
function fault(check: () => void): Error | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
