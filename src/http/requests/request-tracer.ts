// Who records the course of requests, as the routes see it, and the hooks that tell. A request is entered twice: reading
// a body leaves the asynchronous context that its headers came in.
import type { FastifyInstance } from 'fastify';

/** A request on its way. */
export interface RequestTrace {
  /** Runs `work` as part of the request. */
  run(work: () => void): void;
  ended(route: string, status: number): void;
}

export interface RequestTracer {
  /** @param traceparent the header of that name */
  request(method: string, traceparent: string | undefined): RequestTrace;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** null where nobody records. */
    trace: RequestTrace | null;
  }
}

/** Tells `tracer` of every request. */
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
    request.trace?.ended(request.endpoint?.path ?? 'other', reply.raw.statusCode);
    done();
  });
}
