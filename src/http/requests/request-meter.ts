// The port to request metrics and the hook that reports to it. The meter of a route is bound once,
// so that a request costs a map lookup and two additions.
// Invariant: only route, status and duration of a request are reported: no path, query or header.
import type { FastifyInstance } from 'fastify';
import type { RefusalMeter } from '../admission/capacity.ts';
import type { ServedEndpoint } from '../endpoint.ts';

/** Counts the requests of one route. */
export interface RouteMeter {
  ended(status: number, seconds: number): void;
}

export interface RequestMeter extends RefusalMeter {
  /** @param route path pattern of the route table, or `other` */
  route(method: string, route: string): RouteMeter;
}

/** The page at `/metrics`. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}

/** Reports every request to `meter` once its response has been sent. */
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
