// A client of a service over the public API, for programs of this project: a Cardea, or a tenant of
// the vendor. It has one token for all requests, and repeats those that may succeed later.
// Invariant: the secret goes to the token endpoint of the service, and no message has a secret, a
// token or the body of a request.
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  OutboundRefused,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundSender,
  type OutboundStream,
  OutboundTooLarge,
  outboundSender,
} from '../auth/outbound.ts';
import { ServiceError } from '../errors.ts';
import { scanObject } from '../json/json-scan.ts';
import {
  ANSWER_BYTES_MAX,
  ANSWER_MS_MAX,
  JSON_DEPTH_MAX,
  JSON_PARTS_MAX,
  TOKEN_CHARACTERS_MAX,
} from './remote-limits.ts';
import { shownText } from './remote-text.ts';
import { isBusy, RequestAttempts } from './request-attempts.ts';
import { ServiceRefusal } from './service-refusal.ts';

/** An access token, or the id and secret of a client that gets one (RFC 6749 section 4.4). */
export type ServiceCredentials =
  | { readonly token: string }
  | { readonly clientId: string; readonly clientSecret: string };

/** A service and the credentials for it. */
export interface ServiceAccess {
  readonly baseUrl: string;
  readonly credentials: ServiceCredentials;
}

export interface ServiceClientOptions {
  /** Allows addresses that are not public, and plain http. */
  readonly allowPrivateAddresses: boolean;
  /**
   * Which requests are sent again: none, those that the service postponed (429, 503), or all that may
   * succeed later, also after lost connections and answers that cannot be read.
   */
  readonly repeated: 'none' | 'postponed' | 'failed';
  /** Called before the wait for a repetition, with the time that the attempt before took. */
  readonly onRetry?: (reason: string, waitMs: number, tookMs: number) => void;
  /** Aborts requests and waits. */
  readonly signal?: AbortSignal;
  /** Spreads the requests. */
  readonly pace?: ServicePace;
  /** Largest body of `call`, also when it is unpacked. */
  readonly bodyBytesMax?: number;
  /** A socket of this machine that the service listens on. */
  readonly socketPath?: string;
  /** Tests replace what follows. */
  readonly sender?: OutboundSender;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** A number from 0 to 1, for the jitter. */
  readonly random?: () => number;
  readonly now?: () => number;
}

export interface ServicePace {
  /** Reserves the next request. @returns the milliseconds to wait before it is sent */
  reserve(): number;
  /** Pauses all requests. */
  pause(ms: number): void;
}

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below the base URL, with its query. */
  readonly path: string;
  /** Sent as JSON, or as a form. */
  readonly body?: object;
  readonly accept?: string;
  /** Statuses that are answers besides 2xx. */
  readonly accepts?: readonly number[];
}

export type ServiceAnswer = OutboundResponse;

/** The answer is not what the API documents; the message continues `answered 200 with …`. */
export class BadAnswer extends Error {}

/** The path from which tokens come. */
export const TOKEN_PATH = '/oauth/token';
const NO_TOKEN = 'no access token: is the base URL right?';

const RETRIED: ReadonlySet<number> = new Set([408, 425, 500, 502, 503, 504]);
/** A token is renewed this long before it expires, or after half of its life. */
const MARGIN_MS = 60_000;
const VALIDITY_SECONDS = 720;
const REFUSAL_BYTES_MAX = 100_000;
/** What every HTTP header can hold (RFC 6750 allows less). */
const TOKEN = /^[\x21-\x7e]+$/;
const unpack = promisify(gunzip);
const sleepUntil = async (ms: number, signal: AbortSignal | undefined) =>
  void (await delay(ms, undefined, signal === undefined ? {} : { signal }));

/** A token for all requests until `renewAt`, which is infinite while it is requested. */
interface HeldToken {
  readonly text: Promise<string>;
  renewAt: number;
}

interface TokenAnswer {
  readonly access_token?: unknown;
  readonly expires_in?: unknown;
}

export class ServiceClient {
  readonly baseUrl: string;
  readonly #credentials: ServiceCredentials;
  readonly #options: ServiceClientOptions;
  readonly #sender: OutboundSender;
  readonly #bodyBytesMax: number;
  #token: HeldToken | null = null;
  /** Whether an answer showed that the address is that of a service. */
  #wasAnswered = false;
  /** Whether failures ended the last request that ended. */
  #gaveUp = false;

  constructor({ baseUrl, credentials }: ServiceAccess, options: ServiceClientOptions) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#credentials = credentials;
    this.#options = options;
    const { allowPrivateAddresses, bodyBytesMax = ANSWER_BYTES_MAX, socketPath } = options;
    this.#bodyBytesMax = bodyBytesMax;
    this.#sender =
      options.sender ??
      outboundSender({
        ...{ allowPrivateAddresses, socketPath },
        ...{ timeoutMs: ANSWER_MS_MAX, maxBytes: bodyBytesMax },
      });
  }

  /**
   * Sends a request, and reads its whole answer.
   * @param read reads the answer; it is a failure of the request if it throws BadAnswer
   * @throws ServiceRefusal; OutboundTooLarge; ServiceError `unavailable`; the reason of the signal
   */
  call<T>(request: ServiceRequest, read: (answer: ServiceAnswer) => T | Promise<T>): Promise<T> {
    return this.#repeat(request, async (url, outgoing) => {
      const headers = { ...outgoing.headers, 'accept-encoding': 'gzip' };
      const response = await this.#sender.send(url, { ...outgoing, headers });
      this.#wasAnswered ||= !isOk(response);
      const refusal = () => new ServiceRefusal(request.method, url, response);
      if (!isOk(response) && request.accepts?.includes(response.status) !== true) throw refusal();
      try {
        const value = await read({ ...response, body: await this.#unpacked(response, url) });
        this.#wasAnswered = true;
        return value;
      } catch (error) {
        if (!(error instanceof BadAnswer)) throw error;
        if (!isOk(response)) throw refusal();
        const place = `${request.method} ${url.origin}${url.pathname}`;
        throw new ServiceError(
          'unavailable',
          `${place} answered ${response.status} with ${shownText(error.message)}`,
        );
      }
    });
  }

  /** Sends a request, and returns its answer while the body arrives. @throws as `call` */
  stream(request: ServiceRequest): Promise<OutboundStream> {
    return this.#repeat(request, async (url, outgoing) => {
      const response = await this.#sender.open(url, outgoing);
      this.#wasAnswered = true;
      if (isOk(response)) return { ...response, body: this.#piecesOf(response) };
      const body = await firstBytes(response);
      throw new ServiceRefusal(request.method, url, { ...response, body });
    });
  }

  /** The access token. @throws as `call` */
  token(): Promise<string> {
    return this.#heldToken().text;
  }

  /** Closes the connections. */
  end(): void {
    this.#sender.end();
  }

  async *#piecesOf({ body }: OutboundStream): AsyncGenerator<Buffer> {
    try {
      yield* body;
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      throw error;
    }
  }

  #heldToken(): HeldToken {
    if (this.#token !== null && this.#now() < this.#token.renewAt) return this.#token;
    const credentials = this.#credentials;
    const text =
      'token' in credentials ? this.#givenToken(credentials.token) : this.#newToken(credentials);
    const held: HeldToken = { text, renewAt: Number.POSITIVE_INFINITY };
    text.catch(() => this.#renew(held));
    this.#token = held;
    return held;
  }

  async #givenToken(token: string): Promise<string> {
    if (TOKEN.test(token)) return token;
    throw new OutboundRefused(
      'unavailable',
      `The key or token for ${this.baseUrl} has characters that no HTTP header can hold, such as spaces or line breaks: set it again.`,
    );
  }

  #newToken(client: { clientId: string; clientSecret: string }): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    });
    return this.call({ method: 'POST', path: TOKEN_PATH, body }, (answer) => {
      const body = jsonOf(answer.body, NO_TOKEN) as TokenAnswer;
      const { access_token: token, expires_in: seconds } = body;
      if (typeof token !== 'string') throw new BadAnswer(NO_TOKEN);
      if (!TOKEN.test(token) || token.length > TOKEN_CHARACTERS_MAX) {
        throw new BadAnswer('an access token that no HTTP header can hold');
      }
      const validMs = 1_000 * (typeof seconds === 'number' ? seconds : VALIDITY_SECONDS);
      const renewAt = this.#now() + Math.max(validMs - MARGIN_MS, validMs / 2);
      if (this.#token !== null) this.#token.renewAt = renewAt;
      return token;
    });
  }

  /** Requests that were under way are refused together, and share the next token. */
  #renew(refused: HeldToken): void {
    if (this.#token === refused) this.#token = null;
  }

  /** Sends a request until it is answered, or that is hopeless. */
  async #repeat<T>(
    request: ServiceRequest,
    send: (url: URL, outgoing: OutboundRequest) => Promise<T>,
  ): Promise<T> {
    const { signal, pace, onRetry, random = Math.random } = this.#options;
    const url = new URL(`${this.baseUrl}${request.path}`);
    const attempts = new RequestAttempts(() => this.#now(), random);
    let isRenewed = false;
    for (;;) {
      const token = request.path === TOKEN_PATH ? null : this.#heldToken();
      const outgoing = outgoingOf(request, (await token?.text) ?? null, signal);
      const pacedFrom = this.#now();
      await this.#sleep(pace?.reserve() ?? 0);
      const timeoutMs = attempts.begin(pacedFrom);
      try {
        const value = await send(url, { ...outgoing, timeoutMs });
        this.#gaveUp = false;
        return value;
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof ServiceError)) throw error;
        const isRefused = statusOf(error) === 401 && token !== null;
        if (isRefused && !isRenewed && 'clientId' in this.#credentials) {
          isRenewed = true;
          this.#renew(token);
          continue;
        }
        const isRepeated = this.#isRepeated(error);
        const isHopeful = this.#wasAnswered && !this.#gaveUp;
        const waitMs = isRepeated ? attempts.waitAfter(error, isHopeful) : error;
        if (typeof waitMs !== 'number') {
          this.#gaveUp = isRepeated;
          throw waitMs;
        }
        if (isBusy(error)) pace?.pause(waitMs);
        onRetry?.(error.message, waitMs, attempts.lastMs);
        await this.#sleep(waitMs);
      }
    }
  }

  #isRepeated(error: ServiceError): boolean {
    const { repeated } = this.#options;
    return repeated === 'failed'
      ? isTemporary(error)
      : repeated === 'postponed' && isPostponed(error);
  }

  async #sleep(ms: number): Promise<void> {
    const { signal, sleep = sleepUntil } = this.#options;
    if (ms > 0) await sleep(ms, signal);
    signal?.throwIfAborted();
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }

  async #unpacked(response: OutboundResponse, url: URL): Promise<Buffer> {
    if (response.headers['content-encoding']?.toLowerCase() !== 'gzip') return response.body;
    try {
      return await unpack(response.body, { maxOutputLength: this.#bodyBytesMax });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') {
        throw new BadAnswer('a body that cannot be unpacked');
      }
      throw new OutboundTooLarge('unavailable', `${url.pathname}: the answer is too large`);
    }
  }
}

/**
 * Reads a body.
 * @param otherwise what the answer has, if that is no JSON object or array
 * @throws BadAnswer
 */
export function jsonOf(body: Buffer, otherwise = 'a body that is not JSON'): object {
  const { maxDepth, containerTotal, memberTotal } = scanObject(body, JSON_DEPTH_MAX);
  if (maxDepth > JSON_DEPTH_MAX) {
    throw new BadAnswer(`JSON nested deeper than ${JSON_DEPTH_MAX} levels`);
  }
  if (containerTotal + memberTotal > JSON_PARTS_MAX) {
    throw new BadAnswer(`JSON of more than ${JSON_PARTS_MAX} objects, arrays and members`);
  }
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below.
  }
  throw new BadAnswer(otherwise);
}

/** When an answer was sent, by the clock of the service if it says so; ISO 8601. */
export function answeredAt({ headers }: Pick<ServiceAnswer, 'headers'>): string {
  const date = Date.parse(headers.date ?? '');
  return new Date(Number.isNaN(date) ? Date.now() : date).toISOString();
}

function statusOf(error: ServiceError): number | null {
  return error instanceof ServiceRefusal ? error.status : null;
}

/** Whether the same request may succeed later. */
function isTemporary(error: ServiceError): boolean {
  const status = statusOf(error);
  if (status !== null) return isBusy(error) || RETRIED.has(status);
  return !(error instanceof OutboundTooLarge || error instanceof OutboundRefused);
}

function isPostponed(error: ServiceError): boolean {
  return isBusy(error) || statusOf(error) === 503;
}

function isOk({ status }: Pick<ServiceAnswer, 'status'>): boolean {
  return status >= 200 && status <= 299;
}

async function firstBytes({ body }: OutboundStream): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length > REFUSAL_BYTES_MAX) break;
  }
  return Buffer.concat(pieces);
}

function outgoingOf(
  { method, body, accept = 'application/json' }: ServiceRequest,
  token: string | null,
  signal: AbortSignal | undefined,
): OutboundRequest {
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const headers = {
    ...{ accept, 'user-agent': 'cardea' },
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': type }),
  };
  return {
    ...{ method, headers },
    ...(body !== undefined && { body: isForm ? body.toString() : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  };
}
