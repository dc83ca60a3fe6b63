// The port to request metrics and the hook that reports to it. The meter of a route is bound once,
// so that a request costs a map lookup and two additions.
// Invariant: only route, status and duration of a request are reported: no path, query or header.
import type { FastifyInstance } from 'fastify';
import type { RefusalMeter } from '../admission/capacity.ts';
import { routeOf } from '../requests/endpoint.ts';

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
  const meters = new Map<string, RouteMeter>();
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = routeOf(request);
    const key = `${method} ${route}`;
    let bound = meters.get(key);
    if (bound === undefined) {
      bound = meter.route(method, route);
      meters.set(key, bound);
    }
    bound.ended(reply.raw.statusCode, reply.elapsedTime / 1000);
    done();
  });
}
