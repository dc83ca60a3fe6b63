// The port to request tracing and the hooks that report to it. The trace is entered twice, since
// reading a body leaves the asynchronous context of the headers.
import type { FastifyInstance } from 'fastify';
import { routeOf } from '../requests/endpoint.ts';

/** The trace of a running request. */
export interface RequestTrace {
  /** Runs `work` as part of the request. */
  run(work: () => void): void;
  ended(route: string, status: number): void;
}

export interface RequestTracer {
  /** Starts a trace. @param traceparent the header of that name */
  request(method: string, traceparent: string | undefined): RequestTrace;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** null if requests are not traced. */
    trace: RequestTrace | null;
  }
}

/** Traces every request. */
export function traceRequests(app: FastifyInstance, tracer: RequestTracer): void {
  app.decorateRequest('trace', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers;
    request.trace = tracer.request(
      request.method,
      typeof traceparent === 'string' ? traceparent : undefined,
    );
    request.trace.run(done);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.trace === null) done();
    else request.trace.run(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.trace?.ended(routeOf(request), reply.raw.statusCode);
    done();
  });
}
