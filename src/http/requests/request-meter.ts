// Who measures requests, as the routes see it, and the hook that tells. A route's meter is bound once, so that a request
// costs a look into a map and two additions.
// Invariant: what is told of a request is its route, its status and its time: no path, no query, no header.
import type { FastifyInstance } from 'fastify';
import type { RefusalMeter } from '../admission/capacity.ts';
import type { ServedEndpoint } from '../endpoint.ts';

/** Hears of the requests of one route. */
export interface RouteMeter {
  ended(status: number, seconds: number): void;
}

export interface RequestMeter extends RefusalMeter {
  /** @param route the path as the route table has it, or `other` */
  route(method: string, route: string): RouteMeter;
}

/** What `GET /metrics` answers. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}

/** Tells `meter` of every request once its answer is out. */
export function meterRequests(app: FastifyInstance, meter: RequestMeter): void {
  const meters = new Map<ServedEndpoint, RouteMeter>();
  const other = new Map<string, RouteMeter>();
  app.addHook('onResponse', (request, reply, done) => {
    const { endpoint } = request;
    const bound = endpoint === null ? other.get(request.method) : meters.get(endpoint);
    (bound ?? bind(endpoint, request.method)).ended(reply.raw.statusCode, reply.elapsedTime / 1000);
    done();
  });

  function bind(endpoint: ServedEndpoint | null, method: string): RouteMeter {
    const bound = meter.route(method, endpoint?.path ?? 'other');
    if (endpoint === null) other.set(method, bound);
    else meters.set(endpoint, bound);
    return bound;
  }
}
