// Admits requests. Before any of the body is read it checks the path, the token (401; 429 for an
// address with too many failures), the rate (429), the right (403), the headers of the body (415,
// 413) and the capacity (503). Once the body has been read, the request takes a place or waits for
// one. The other files of this folder divide capacity between tenants, callers and addresses.
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { authorize } from '../../auth/access.ts';
import { apiKeyOf } from '../../auth/api-key.ts';
import type { Caller } from '../../auth/caller.ts';
import { ServiceError } from '../../errors.ts';
import type { ApiKeyCheck } from '../../service/credentials/api-key-check.ts';
import type { TokenService } from '../../service/credentials/tokens.ts';
import type { Activity, TenantActivity } from '../../service/searching/tenant-activity.ts';
import type { ServedEndpoint, Work } from '../requests/endpoint.ts';
import { checkTarget } from '../requests/request-url.ts';
import { areasBelow, routeNotFound, unservedCause } from '../requests/unserved-areas.ts';
import type { AddressLimit } from './address-limit.ts';
import { type Capacity, partyOf } from './capacity.ts';
import type { PlacesOfRoute } from './places.ts';
import type { RateLimit } from './rate-limit.ts';
import { type BodyLimits, checkBodyHeaders, freeBodyAfter } from './request-body.ts';

export interface AdmissionRules {
  readonly tokens: Pick<TokenService, 'verify'>;
  readonly apiKeyCheck: Pick<ApiKeyCheck, 'verify'>;
  readonly activity: Pick<TenantActivity, 'count'>;
  /** null: no limit. */
  readonly rateLimit: RateLimit | null;
  /** Limit of requests without a valid token; null: no limit. */
  readonly addressLimit: AddressLimit | null;
  readonly capacity: Capacity;
  readonly body: BodyLimits;
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** Returns the hook of a route that admits requests by their headers. */
export function admit(endpoint: ServedEndpoint, rules: AdmissionRules): Hook {
  const { operation } = endpoint;
  const places = rules.capacity.placesOf(endpoint);
  const proceed = proceedingOf(endpoint, rules);
  if (operation === null) {
    return (request, _reply, done) => {
      request.endpoint = endpoint;
      proceed(
        catchFault(() => checkRequest(request, endpoint, rules, places)),
        request,
        done,
      );
    };
  }
  const activity = endpoint.work === null ? 'requests' : (ACTIVITIES[endpoint.work] ?? 'requests');
  return (request, _reply, done) => {
    request.endpoint = endpoint;
    identify(request.headers.authorization, endpoint, rules).then(
      (identifiedCaller) => {
        const caller = forRequest(identifiedCaller, request, endpoint, rules);
        request.caller = caller;
        request.awaitsBody = !request.raw.complete;
        rules.activity.count(caller.tenantId, activity);
        const check = () =>
          catchFault(() => {
            authorizeFor(endpoint, caller, request);
            checkRequest(request, endpoint, rules, places);
          });
        let remoteCount: undefined | Promise<void>;
        const rateFault = catchFault(() => {
          if (!endpoint.isTestPower) remoteCount = rules.rateLimit?.admit(clientKey(caller));
        });
        if (remoteCount !== undefined) {
          remoteCount.then(() => proceed(check(), request, done), done);
        } else proceed(rateFault ?? check(), request, done);
      },
      rejectionOf(request, rules, done),
    );
  };
}

type Proceed = (
  fault: Error | undefined,
  request: FastifyRequest,
  done: HookHandlerDoneFunction,
) => void;

/** Continues an admitted request in its turn. Errors, status and health are answered at once. */
function proceedingOf(endpoint: ServedEndpoint, { capacity }: AdmissionRules): Proceed {
  if (endpoint.operation === null && endpoint.body === 'none') {
    return (refusal, _request, done) => done(refusal);
  }
  return (refusal, request, done) => {
    if (refusal !== undefined) done(refusal);
    else capacity.turns.enter(partyOf(request), () => done());
  };
}

/**
 * The caller of a request: current only while it has the right of the route, and with the origin of
 * the request. Searches and reads of documents are not audited, and skip the origin, which costs 15 µs.
 */
function forRequest(
  caller: Caller,
  request: FastifyRequest,
  endpoint: ServedEndpoint,
  rules: AdmissionRules,
): Caller {
  const current = () => reauthorize(request, endpoint, rules);
  if (endpoint.body === 'query' || endpoint.operation === 'document:get') {
    return { ...caller, current };
  }
  return { ...caller, current, origin: { address: request.ip, requestId: request.id } };
}

/**
 * Returns the hook of a route that takes a place once the body has been read; null if its requests
 * need none. Reading a body may take half a minute, so the caller is authorized again; of a search, as
 * of most, the body is there with its headers. An import asks before each batch instead.
 */
export function takePlace(endpoint: ServedEndpoint, rules: AdmissionRules): Hook | null {
  const places = rules.capacity.placesOf(endpoint);
  if (places === null) return null;
  const hasBody =
    endpoint.operation !== null && endpoint.body !== 'none' && endpoint.body !== 'stream';
  return (request, reply, done) => {
    const freeBody = () => freeBodyAfter(request, reply.raw);
    places.enter(partyOf(request), reply.raw, (error, leave) => {
      if (leave === undefined) freeBody();
      else {
        request.leavePlace = () => {
          leave();
          freeBody();
        };
      }
      const isCurrent = endpoint.body === 'query' && !request.awaitsBody;
      if (error !== undefined || !hasBody || isCurrent) {
        done(error);
        return;
      }
      const refuse = (fault: Error) => {
        request.leavePlace?.();
        done(fault);
      };
      reauthorize(request, endpoint, rules).then((caller) => {
        request.caller = caller;
        done();
      }, refuse);
    });
  };
}

/**
 * Wraps the handler of a route: it gives back a place that is held for the work, not the delivery.
 */
export function handleAndLeavePlace({ handle }: ServedEndpoint): ServedEndpoint['handle'] {
  return (request, reply) => {
    const { leavePlace } = request;
    if (leavePlace === null) return handle(request, reply);
    return (async () => handle(request, reply))().finally(leavePlace);
  };
}

/** Authenticates and authorizes again. @throws ServiceError as `admit` does */
async function reauthorize(
  request: FastifyRequest,
  endpoint: ServedEndpoint,
  rules: AdmissionRules,
): Promise<Caller> {
  const caller = await identify(request.headers.authorization, endpoint, rules);
  authorizeFor(endpoint, caller, request);
  return forRequest(caller, request, endpoint, rules);
}

/** @throws ServiceError `forbidden` if the caller may not do what a request of the route needs */
function authorizeFor(
  { operation }: ServedEndpoint,
  caller: Caller,
  request: FastifyRequest,
): void {
  if (operation === null) return;
  authorize(caller, typeof operation === 'string' ? operation : operation(caller, request));
}

/** The key that requests of a client are counted by, across all versions of the API. */
function clientKey({ tenantId, clientId }: Caller): string {
  return `${clientKeyPrefix(tenantId)}${clientId}`;
}

/** What the keys of all clients of a tenant begin with. */
export function clientKeyPrefix(tenantId: string): string {
  return `${tenantId} `;
}

/** Counts an authentication failure by its address and fails the request. */
function rejectionOf(
  request: FastifyRequest,
  { addressLimit }: AdmissionRules,
  done: HookHandlerDoneFunction,
): (error: Error) => void {
  if (addressLimit === null) return done;
  return (error) => {
    addressLimit.judge(error, request.ip).then(done, done);
  };
}

/** The activity that work counts as; all other requests are just requests. */
const ACTIVITIES: { readonly [work in Work]?: Activity } = {
  searches: 'searches',
  'streams of rows': 'searches',
  changes: 'writes',
  'urgent changes': 'writes',
};

/** Authenticates a request by its token or, in profile management, its API key. */
function identify(
  authorization: string | undefined,
  { dialect }: ServedEndpoint,
  { tokens, apiKeyCheck }: AdmissionRules,
): Promise<Caller> {
  const key = dialect === 'nerm' ? apiKeyOf(authorization) : null;
  return key === null ? tokens.verify(authorization) : apiKeyCheck.verify(key);
}

/** A parameter of a path, with the pattern of its values if it has one. */
const PARAMETER = /:\w+(\([^)]*\))?/g;

/** Returns the fault of requests that no route matches: 405 if another method would, else 404. */
export function unmatchedFaults(
  endpoints: readonly ServedEndpoint[],
): (request: FastifyRequest) => Error {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of endpoints) {
    const methodsOfPath = methods.get(path) ?? new Set<string>();
    methodsOfPath.add(method);
    if (method === 'GET') methodsOfPath.add('HEAD');
    methods.set(path, methodsOfPath);
  }
  const paths = [...methods].map(([path, allow]) => ({
    pattern: new RegExp(`^${path.replace(PARAMETER, (_, values = '[^/]+') => values)}$`),
    allow: [...allow].sort(),
  }));
  return (request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const match = paths.find(({ pattern }) => pattern.test(path));
    if (match === undefined || areasBelow(path).length > 0) return routeNotFound(path);
    const unserved = unservedCause(path);
    const causes = unserved === null ? [] : [unserved];
    const { allow } = match;
    return new ServiceError('method_not_allowed', 'The path does not support this method.', {
      ...{ causes: [`the path supports ${allow.join(', ')}`, ...causes], allow },
    });
  };
}

/** Checks the path, the headers of the body, and whether there is capacity. */
function checkRequest(
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
  // A party that does not read its pending responses gets no new ones computed.
  rules.capacity.answers.check(party, 1);
}

/** Returns what `check` throws, for hooks that pass errors on. */
function catchFault(check: () => void): Error | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Gives back a place that is held for the work, and then the memory of the body; null if delivery
     * gives them back.
     */
    leavePlace: (() => void) | null;
    /** True if some of the body had not arrived when the caller was authenticated. */
    awaitsBody: boolean;
  }
}
