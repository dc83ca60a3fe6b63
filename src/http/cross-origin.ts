// CORS (Fetch standard): requests of scripts on other origins, off unless origins are configured.
// Headers are set on Node's response, since searches and the documentation bypass Fastify's reply,
// and error responses keep them.
// Invariant: no response allows credentials, so a page cannot use the sessions of its visitor.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Permits every origin. */
const ANY_ORIGIN = '*';

/** Request headers of the API, of its published SDKs and of trace context. */
const ALLOWED_HEADERS = [
  ...['Accept', 'Accept-Language', 'Authorization', 'Content-Encoding', 'Content-Type'],
  ...['If-Match', 'Traceparent', 'Tracestate', 'User-Agent'],
  ...['X-SailPoint-Experimental', 'X-SailPoint-SDK'],
].join(', ');
/** Two hours, the longest that Chromium caches a preflight response. */
const MAX_AGE_SECONDS = '7200';

/** Decides which origins may read responses. */
export class CrossOriginPolicy {
  readonly #origins: ReadonlySet<string>;
  readonly #methods: string;

  /**
   * @param origins as browsers send them, or ANY_ORIGIN
   * @param methods that any route supports
   */
  constructor(origins: readonly string[], methods: Iterable<string>) {
    this.#origins = new Set(origins);
    this.#methods = [...new Set(methods)].sort().join(', ');
  }

  /** Writes the headers that let the request's origin read the response. @returns true if it may */
  writeHeaders(request: FastifyRequest, reply: FastifyReply): boolean {
    const { raw } = reply;
    const isOpen = this.#origins.has(ANY_ORIGIN);
    // Keeps caches from serving the response for one origin to another.
    if (!isOpen) raw.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(isOpen || this.#origins.has(origin))) return false;
    raw.setHeader('Access-Control-Allow-Origin', isOpen ? ANY_ORIGIN : origin);
    return true;
  }

  /** Answers a preflight of an allowed origin. */
  answerPreflight(reply: FastifyReply): void {
    const { raw } = reply;
    raw.setHeader('Access-Control-Allow-Methods', this.#methods);
    raw.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
    raw.setHeader('Access-Control-Max-Age', MAX_AGE_SECONDS);
    reply.code(204).send();
  }
}

/** Applies the policy to every request, before admission, as a preflight has no token. */
export function allowCrossOrigin(app: FastifyInstance, policy: CrossOriginPolicy): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isAllowed = policy.writeHeaders(request, reply);
    if (isAllowed && isPreflight(request)) policy.answerPreflight(reply);
    else done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Fastify's value would replace the one on Node's response, so both are merged.
    const [routeVary, originVary] = [reply.getHeader('vary'), reply.raw.getHeader('vary')];
    if (originVary !== undefined && routeVary !== originVary) {
      reply.header('vary', `${routeVary}, ${originVary}`);
    }
    done(null, payload);
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
