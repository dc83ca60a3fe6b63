// Who gets in. Before a byte of the body is read: the path, then the token (401; 429 for an address that sends too many
// requests without a valid one), the rate (429), the right (403), then what the headers say of the body (415, 413), and
// whether there is or will soon be room (503). When the body has been read the request takes its place, or waits for one.
// How the room is divided between tenants, callers and addresses is in admission/.
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { authorize } from '../../auth/access.ts';
import { apiKeyOf } from '../../auth/api-key.ts';
import type { Caller } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import type { ServedEndpoint } from '../endpoint.ts';
import { type BodyLimits, checkBodyHeaders, freeBodyAfter } from '../requests/request-body.ts';
import { checkTarget } from '../requests/request-url.ts';
import type { ActivityCounter, ApiKeys, Tokens } from '../services.ts';
import type { AddressLimit } from './address-limit.ts';
import { type Capacity, partyOf } from './capacity.ts';
import type { PlacesOfRoute } from './places.ts';
import type { RateLimit } from './rate-limit.ts';

export interface AdmissionRules {
  readonly tokens: Tokens;
  readonly apiKeys: Pick<ApiKeys, 'verify'>;
  readonly activity: ActivityCounter;
  /** null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** Of requests without a valid token; null: no limit. */
  readonly addressLimit: AddressLimit | null;
  readonly capacity: Capacity;
  readonly body: BodyLimits;
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** The hook of one route that judges a request by its headers. */
export function admit(endpoint: ServedEndpoint, rules: AdmissionRules): Hook {
  const { operation } = endpoint;
  const places = rules.capacity.placesOf(endpoint);
  const begin = beginningOf(endpoint, rules);
  if (operation === null) {
    return (request, _reply, done) => {
      request.endpoint = endpoint;
      begin(
        fault(() => enter(request, endpoint, rules, places)),
        request,
        done,
      );
    };
  }
  const activity = activityOf(endpoint);
  return (request, _reply, done) => {
    request.endpoint = endpoint;
    identify(request.headers.authorization, endpoint, rules).then(
      (known) => {
        const caller = withOrigin(known, request);
        request.caller = caller;
        rules.activity.count(caller.tenantId, activity);
        const letIn = () =>
          fault(() => {
            authorize(
              caller,
              typeof operation === 'string' ? operation : operation(caller, request),
            );
            enter(request, endpoint, rules, places);
          });
        let counted: undefined | Promise<void>;
        const tooMany = fault(() => {
          counted = rules.rateLimit?.admit(clientKey(caller));
        });
        if (counted !== undefined) counted.then(() => begin(letIn(), request, done), done);
        else begin(tooMany ?? letIn(), request, done);
      },
      refuse(request, rules, done),
    );
  };
}

type Begin = (
  fault: Error | undefined,
  request: FastifyRequest,
  done: HookHandlerDoneFunction,
) => void;

/** Continues an admitted request in its turn. Refusals, status and health are answered at once. */
function beginningOf(endpoint: ServedEndpoint, { capacity }: AdmissionRules): Begin {
  if (endpoint.operation === null && endpoint.body === 'none') {
    return (refusal, _request, done) => done(refusal);
  }
  return (refusal, request, done) => {
    if (refusal !== undefined) done(refusal);
    else capacity.turns.enter(partyOf(request), () => done());
  };
}

/** The caller with where the request came from. Searches are not recorded, and are spared the copy. */
function withOrigin(caller: Caller, request: FastifyRequest): Caller {
  if (request.endpoint?.body === 'query') return caller;
  return { ...caller, origin: { address: request.ip, requestId: request.id } };
}

/**
 * The hook of one route that takes a place when the body has been read; null where its requests need none. The body of a change
 * may have taken half a minute, and rights that ended meanwhile are refused.
 */
export function takePlace(endpoint: ServedEndpoint, rules: AdmissionRules): Hook | null {
  const places = rules.capacity.placesOf(endpoint);
  if (places === null) return null;
  const isChange = endpoint.body === 'json' || endpoint.body === 'json-patch';
  return (request, reply, done) => {
    freeBodyAfter(request, reply.raw);
    places.enter(partyOf(request), reply.raw, (error, leave) => {
      request.leavePlace = leave ?? null;
      if (error !== undefined || !isChange) done(error);
      else judgeAgain(request, endpoint, rules).then(() => done(), done);
    });
  };
}

/** The handler of one route, which gives back the place of a request that holds it only while it is worked on. */
export function working({ handle }: ServedEndpoint): ServedEndpoint['handle'] {
  return (request, reply) => {
    const { leavePlace } = request;
    if (leavePlace === null) return handle(request, reply);
    return (async () => handle(request, reply))().finally(leavePlace);
  };
}

/** @throws ServiceError as the admission does */
async function judgeAgain(
  request: FastifyRequest,
  endpoint: ServedEndpoint,
  rules: AdmissionRules,
): Promise<void> {
  const { operation } = endpoint;
  if (operation === null) return;
  const caller = await identify(request.headers.authorization, endpoint, rules);
  authorize(caller, typeof operation === 'string' ? operation : operation(caller, request));
  request.caller = withOrigin(caller, request);
}

/** What the requests of one client are counted under, whichever version of the API they use. */
export function clientKey({ tenantId, clientId }: Caller): string {
  return `${tenantId} ${clientId}`;
}

/** Answers a request without a valid token, once it has been counted by its address. */
function refuse(
  request: FastifyRequest,
  { addressLimit }: AdmissionRules,
  done: HookHandlerDoneFunction,
): (error: Error) => void {
  if (addressLimit === null) return done;
  return (error) => {
    addressLimit.judge(error, request.ip).then(done, done);
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

function enter(
  request: FastifyRequest,
  endpoint: ServedEndpoint,
  rules: AdmissionRules,
  places: PlacesOfRoute | null,
): void {
  checkTarget(request.url);
  checkBodyHeaders(endpoint, request.headers, rules.body);
  if (places === null) return;
  const party = partyOf(request);
  places.check(party);
  // Who does not receive the answers there are gets no others worked out.
  rules.capacity.answers.check(party, 1);
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

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives back the place of a request when it has been worked on; null where that happens by itself. */
    leavePlace: (() => void) | null;
  }
}
