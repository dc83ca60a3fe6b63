// A client of a running service over the public API, for programs of this project: a Cardea, or a
// tenant of the vendor. One access token is used until it is refused. The mirror has a client of its
// own, which paces thousands of requests (mirror/remote/remote-client.ts).
// Invariant: the secret goes to the token endpoint of the service, and no message has it or a token.
import { setTimeout as delay } from 'node:timers/promises';
import { boundedText, refusalOf, ServiceRefusal } from './service-refusal.ts';

/** An access token, or the id and secret of a client that gets one (RFC 6749 section 4.4). */
export type ServiceCredentials =
  | { readonly token: string }
  | { readonly clientId: string; readonly clientSecret: string };

/** A service and the credentials for it. */
export interface ServiceAccess {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: ServiceCredentials;
}

/**
 * What aborts a request: a signal, or a limit of the milliseconds until its answer. Not both, as Node
 * may lose a limit that is a part of AbortSignal.any (abort.ts).
 */
type RequestLimit =
  | { readonly signal?: AbortSignal; readonly timeoutMs?: never }
  | { readonly signal?: never; readonly timeoutMs: number };

export type ServiceClientOptions = RequestLimit & {
  /**
   * Called before a request that the service postponed (429, 503) is sent again after its
   * Retry-After; without it such an answer is a refusal.
   */
  readonly onWait?: (reason: string, waitMs: number) => void;
};

export interface ServiceRequest {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, with its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly accept?: string;
}

/** No answer, or not all of one; the message says why, and has the base URL. */
export class ServiceUnreachable extends Error {}

/** The path from which tokens come. */
export const TOKEN_PATH = '/oauth/token';

const ATTEMPTS_MAX = 30;
const WAIT_MS = 1_000;
const WAIT_MS_MAX = 300_000;
const POSTPONED: ReadonlySet<number> = new Set([429, 503]);

export class ServiceClient {
  readonly baseUrl: string;
  readonly #credentials: ServiceCredentials;
  readonly #options: ServiceClientOptions;
  #token: string | null = null;

  constructor({ baseUrl, credentials }: ServiceAccess, options: ServiceClientOptions) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#credentials = credentials;
    this.#options = options;
  }

  /**
   * Sends a request with the access token; once more with a new one if the service refuses it.
   * @returns an answer with a status of 2xx; reading its body throws as this does
   * @throws ServiceRefusal, ServiceUnreachable; the reason of the signal
   */
  async send(request: ServiceRequest): Promise<Response> {
    try {
      return await this.#sendWithToken(request);
    } catch (error) {
      const isExpired =
        error instanceof ServiceRefusal && error.status === 401 && error.path !== TOKEN_PATH;
      if (!isExpired || 'token' in this.#credentials) throw error;
      this.#token = null;
      return this.#sendWithToken(request);
    }
  }

  async #sendWithToken({ method, path, body, accept }: ServiceRequest): Promise<Response> {
    const authorization = `Bearer ${await this.#accessToken()}`;
    const headers = { authorization, accept: accept ?? 'application/json' };
    if (body === undefined) return this.#fetch(path, { method, headers });
    return this.#fetch(path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async #accessToken(): Promise<string> {
    if ('token' in this.#credentials) return this.#credentials.token;
    this.#token ??= await this.#newToken(this.#credentials);
    return this.#token;
  }

  async #newToken(client: { clientId: string; clientSecret: string }): Promise<string> {
    const response = await this.#fetch(TOKEN_PATH, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: client.clientSecret,
      }),
    });
    const token = accessTokenIn(await boundedText(response));
    if (token !== null) return token;
    throw new ServiceUnreachable(
      `${this.baseUrl}${TOKEN_PATH} answered without an access token: is the base URL right?`,
    );
  }

  /** Sends a request until the service does not postpone it. */
  async #fetch(path: string, init: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#attempt(path, init);
      if (response.ok) return response;
      const refusal = await refusalOf(response, path);
      const { onWait, signal } = this.#options;
      const isPostponed = onWait !== undefined && POSTPONED.has(refusal.status);
      if (!isPostponed || attempt >= ATTEMPTS_MAX) throw refusal;
      const waitMs =
        refusal.retryAfterSeconds === null
          ? WAIT_MS
          : Math.min(refusal.retryAfterSeconds * 1_000, WAIT_MS_MAX);
      onWait(refusal.message, waitMs);
      await delay(waitMs, undefined, signal === undefined ? {} : { signal });
    }
  }

  async #attempt(path: string, init: RequestInit): Promise<Response> {
    const { signal = null, timeoutMs } = this.#options;
    try {
      const response = await fetch(`${this.baseUrl}${path}`, {
        ...init,
        // A redirect would send the credentials elsewhere.
        redirect: 'error',
        signal: timeoutMs === undefined ? signal : AbortSignal.timeout(timeoutMs),
      });
      if (response.body === null) return response;
      return new Response(ReadableStream.from(this.#piecesOf(response.body)), response);
    } catch (error) {
      signal?.throwIfAborted();
      throw new ServiceUnreachable(`${this.baseUrl} cannot be reached: ${reasonOf(error)}.`);
    }
  }

  /** The pieces of a body, with the errors of `send`. */
  async *#piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      throw new ServiceUnreachable(
        `${this.baseUrl} broke off in the middle of an answer: ${reasonOf(error)}.`,
      );
    }
  }
}

function accessTokenIn(text: string): string | null {
  try {
    const { access_token: token } = JSON.parse(text) as { access_token?: unknown };
    return typeof token === 'string' ? token : null;
  } catch {
    return null;
  }
}

/** `fetch` gives the reason as the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ''
    ? error.cause.message
    : error.message;
}
