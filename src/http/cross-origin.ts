// Requests of scripts on pages of other origins (CORS, as the Fetch standard has it): off unless origins are set. Headers
// go straight to Node's response, since searches and the documentation answer past Fastify's reply, and faults keep them.
// Invariant: no answer allows credentials, so a page gains nothing by what its visitor is signed in to.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Permits every origin. */
export const ANY_ORIGIN = '*';

/** Request headers that clients send: those of the API, of its published SDKs and of traces. */
const ALLOWED_HEADERS = [
  ...['Accept', 'Accept-Language', 'Authorization', 'Content-Encoding', 'Content-Type'],
  ...['If-Match', 'Traceparent', 'Tracestate', 'User-Agent'],
  ...['X-SailPoint-Experimental', 'X-SailPoint-SDK'],
].join(', ');
/** Two hours: Chromium keeps the answer to a preflight no longer. */
const MAX_AGE_SECONDS = '7200';

/** Which origins may read answers. */
export class CrossOriginPolicy {
  readonly #origins: ReadonlySet<string>;
  readonly #methods: string;

  /**
   * @param origins as browsers send them, or ANY_ORIGIN
   * @param methods that some path takes
   */
  constructor(origins: readonly string[], methods: Iterable<string>) {
    this.#origins = new Set(origins);
    this.#methods = [...new Set(methods)].sort().join(', ');
  }

  /** Writes what lets a script of the request's origin read the answer. @returns whether it may */
  writeHeaders(request: FastifyRequest, reply: FastifyReply): boolean {
    const { raw } = reply;
    const isOpen = this.#origins.has(ANY_ORIGIN);
    // A cache must not give the answer of one origin to another.
    if (!isOpen) raw.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(isOpen || this.#origins.has(origin))) return false;
    raw.setHeader('Access-Control-Allow-Origin', isOpen ? ANY_ORIGIN : origin);
    return true;
  }

  /** Answers a preflight of an origin that may. */
  answerPreflight(reply: FastifyReply): void {
    const { raw } = reply;
    raw.setHeader('Access-Control-Allow-Methods', this.#methods);
    raw.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
    raw.setHeader('Access-Control-Max-Age', MAX_AGE_SECONDS);
    reply.code(204).send();
  }
}

/** Applies the policy to every request. It comes before the hooks that admit a request, as a preflight has no token. */
export function allowCrossOrigin(app: FastifyInstance, policy: CrossOriginPolicy): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isAllowed = policy.writeHeaders(request, reply);
    if (isAllowed && isPreflight(request)) policy.answerPreflight(reply);
    else done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A route's own value would replace the one on Node's response, which is also read where a route has none.
    const [own, ours] = [reply.getHeader('vary'), reply.raw.getHeader('vary')];
    if (ours !== undefined && own !== ours) reply.header('vary', `${own}, ${ours}`);
    done(null, payload);
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
