// One OpenSearch over HTTP by the official client: no retries, a timeout for every request, and
// faults as the service's own errors. Aborting a request also ends its work in OpenSearch, which
// cancels the task when the connection closes.
import { setImmediate } from 'node:timers/promises';
import { Client, errors } from '@opensearch-project/opensearch';
import { ServiceError } from '../../../errors.ts';
import { BufferPool, type PooledBuffer } from '../../../json/buffer-pool.ts';
import { cancelled } from '../../../scheduling/deadline.ts';
import type { AnswerMemory } from '../../../service/ports/search-backend.ts';
import type { HttpAnswer } from '../transport/answer-reader.ts';
import { Connections } from '../transport/connections.ts';
import { TooManyBuckets } from './bucket-limit.ts';

/** A request in OpenSearch's own terms. */
export interface OpenSearchRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: object;
  /** Lines of JSON. */
  readonly lines?: string | Buffer;
}

export interface RequestOptions {
  /** Milliseconds the whole request may take. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Options of a request whose answer is kept as bytes. */
export interface BytesOptions extends RequestOptions {
  /** Counts a large answer before it is read. */
  readonly memory?: AnswerMemory | undefined;
}

/** OpenSearch answered with an error; its type decides what it means. */
export class OpenSearchFault extends Error {
  override readonly name = 'OpenSearchFault';
  readonly status: number;
  /** OpenSearch's name of the innermost error, such as `index_not_found_exception`. */
  readonly type: string;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, type: string, reason: string, retryAfterSeconds: number | null) {
    super(`${type}: ${reason}`);
    this.status = status;
    this.type = type;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The request took longer than its timeout. */
export class OpenSearchTimeout extends Error {
  override readonly name = 'OpenSearchTimeout';
}

/** Seconds until a client retries if OpenSearch sends no `Retry-After`. */
const RETRY_AFTER_SECONDS = 2;

export class OpenSearchClient {
  /** For requests whose answer is parsed whole. */
  readonly #client: Client;
  /** For the others. */
  readonly #connections: Connections;
  /** Ends each request that waits for an answer. */
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  /** @param url may hold a user and a password */
  constructor(url: string) {
    this.#client = new Client({
      node: url,
      resurrectStrategy: 'none',
      maxRetries: 0,
      agent: { keepAlive: true, maxSockets: 256 },
      disablePrototypePoisoningProtection: true, // no member of an answer is copied by name
    });
    this.#connections = new Connections({ url: new URL(url) }, new BufferPool());
  }

  /**
   * @returns the parsed body
   * @throws OpenSearchFault, OpenSearchTimeout; ServiceError `cancelled`, `unavailable` if
   * unreachable or closed
   */
  send<Body>(request: OpenSearchRequest, options: RequestOptions): Promise<Body> {
    const { lines, query, ...rest } = request;
    return this.#within(options, () => {
      const sent = this.#client.transport.request(
        {
          ...rest,
          ...(query === undefined ? {} : { querystring: query }),
          ...(lines === undefined ? {} : { bulkBody: lines }),
        },
        { requestTimeout: options.timeoutMs + SOCKET_SLACK_MS, maxRetries: 0 },
      );
      const answer = sent.then(
        ({ body }) => objectOf(body) as Body,
        (error: unknown) => {
          throw faultOf(error);
        },
      );
      return { answer, abort: () => void sent.abort() };
    });
  }

  /**
   * Sends a request to a path, which may have an encoded query.
   * @returns the body, which belongs to the caller, who may release it
   * @throws as `send`; ServiceError `unavailable` if there is no memory for the body
   */
  sendForBytes(
    { method, path, body, lines }: Omit<OpenSearchRequest, 'query'>,
    options: BytesOptions,
  ): Promise<PooledBuffer> {
    const text = lines ?? JSON.stringify(body ?? {});
    const type = lines === undefined ? 'application/json' : 'application/x-ndjson';
    return this.#within(options, () => {
      const { memory } = options;
      const sent = this.#connections.send(method, path, text, type, memory);
      return { ...sent, answer: sent.answer.then(bodyOf, unreachable) };
    });
  }

  /** Requests that wait for an answer fail at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#waiting) end();
    this.#connections.close();
    // In this turn the client still counts the ended requests, and would wait for them for a second.
    await setImmediate();
    await this.#client.close();
  }

  /** Waits for an answer within the limits of the caller; otherwise stops the request. */
  async #within<Answer>(
    { timeoutMs, signal }: RequestOptions,
    send: () => { readonly answer: Promise<Answer>; abort(): void },
  ): Promise<Answer> {
    if (signal?.aborted) throw cancelled();
    if (this.#isClosed) throw unavailable(CLOSED);
    const sent = send();
    let end: 'timeout' | 'cancelled' | 'closed' | null = null;
    const abort = (why: 'timeout' | 'cancelled' | 'closed'): void => {
      end ??= why;
      sent.abort();
    };
    const onAbort = () => abort('cancelled');
    const onClose = () => abort('closed');
    const timer = setTimeout(() => abort('timeout'), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(onClose);
    try {
      return await sent.answer;
    } catch (error) {
      if (end === 'cancelled') throw cancelled();
      if (end === 'timeout') throw new OpenSearchTimeout(`No answer within ${timeoutMs} ms`);
      if (end === 'closed') throw unavailable(CLOSED);
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#waiting.delete(onClose);
    }
  }
}

const CLOSED = 'The connections to OpenSearch are closed';

/** @throws OpenSearchFault for any other answer than 200 OK */
function bodyOf({ status, retryAfter, body }: HttpAnswer): PooledBuffer {
  if (status === 200) return body;
  const fault = jsonOf(body.bytes);
  body.release();
  throw bodyFault(status, fault, wholeSeconds(retryAfter));
}

/** @throws ServiceError for an answer of another program than OpenSearch, such as a proxy */
function objectOf(body: unknown): object {
  if (typeof body === 'object' && body !== null) return body;
  throw unavailable(NOT_OPENSEARCH);
}

/** The cause of a fault where something else answers in the place of OpenSearch. */
export const NOT_OPENSEARCH = 'The answer is not one of OpenSearch';

function unreachable(error: unknown): never {
  if (error instanceof ServiceError) throw error;
  const fault = unavailable(`ConnectionError: ${error instanceof Error ? error.message : error}`);
  fault.cause = error;
  throw fault;
}

/** The timeout of the socket is later than the one of the request by this. */
const SOCKET_SLACK_MS = 1_000;

/** The service's error for a cluster that cannot serve. */
export function unavailable(cause: string, retryAfterSeconds = RETRY_AFTER_SECONDS): ServiceError {
  return new ServiceError('unavailable', 'OpenSearch is not available', {
    causes: [cause],
    retryAfterSeconds,
  });
}

/**
 * Converts an error for the caller: all errors are `unavailable` except those of an invalid
 * request, which are bugs of the service and are returned unchanged, as are errors of other kinds.
 */
export function serviceError(error: unknown): unknown {
  if (error instanceof OpenSearchTimeout) return unavailable(error.message);
  if (!(error instanceof OpenSearchFault)) return error;
  if (error.type === 'too_many_buckets_exception') return new TooManyBuckets();
  if (error.type === 'too_complex_to_determinize_exception' || TOO_MUCH.test(error.message)) {
    return new ServiceError('limit_exceeded', 'The query exceeds a limit of OpenSearch', {
      causes: [error.message],
    });
  }
  if (TOO_MANY_SHARDS.test(error.message)) {
    return unavailable(
      `${error.message} Raise cluster.max_shards_per_node, add nodes, or lower CARDEA_SEARCH_OPEN_INDEXES.`,
    );
  }
  const isOurs = error.status === 400;
  if (isOurs) return error;
  const fault = unavailable(error.message, error.retryAfterSeconds ?? RETRY_AFTER_SECONDS);
  fault.cause = error;
  return fault;
}

const TOO_MUCH =
  /too_many_(nested_)?clauses|TooManyClauses|TooManyNestedClauses|TooComplexToDeterminize|determinized|max_nested_depth/i;

const TOO_MANY_SHARDS = /maximum shards open/;

/** The parsed text, or null if it is not JSON. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}

function faultOf(error: unknown): unknown {
  if (error instanceof errors.ResponseError) {
    const retryAfter = wholeSeconds(error.headers?.['retry-after']);
    return bodyFault(error.statusCode ?? 0, error.body as unknown, retryAfter);
  }
  if (error instanceof errors.OpenSearchClientError) {
    const fault = unavailable(`${error.name}: ${error.message}`);
    fault.cause = error;
    return fault;
  }
  return error;
}

/** The error that the body of an answer describes. */
export function bodyFault(
  status: number,
  body: unknown,
  retryAfterSeconds: number | null,
): OpenSearchFault {
  const { type, reason } = innermost(body);
  return new OpenSearchFault(
    status,
    type ?? `status ${status}`,
    reason ?? 'no reason given',
    retryAfterSeconds,
  );
}

interface ErrorBody {
  readonly type?: string;
  readonly reason?: string;
  readonly caused_by?: ErrorBody;
  readonly failed_shards?: readonly { readonly reason?: ErrorBody }[];
}

/** The innermost cause. */
function innermost(body: unknown): ErrorBody {
  if (typeof body !== 'object' || body === null || !('error' in body)) return {};
  if (typeof body.error === 'string') return { type: body.error };
  let error = (body.error ?? {}) as ErrorBody;
  for (let depth = 0; depth < 10; depth++) {
    const below: ErrorBody | undefined =
      error.caused_by ?? error.failed_shards?.[0]?.reason ?? undefined;
    if (below === undefined) break;
    error = below;
  }
  return error;
}

function wholeSeconds(header: unknown): number | null {
  const seconds = Number(header);
  return header !== undefined && Number.isInteger(seconds) && seconds > 0 ? seconds : null;
}
