// Requests to a remote service: paced, with one token for all of them, repeated while the service
// is busy or unreachable, and with bounded answers. It only reads, so repeating is harmless.
// Invariant: no error or log line of it holds a secret, a token or a body.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  OutboundRefused,
  type OutboundResponse,
  type OutboundSender,
  OutboundTooLarge,
} from '../../auth/outbound.ts';
import { ServiceError } from '../../errors.ts';
import type { RequestPace } from './request-pace.ts';

/** Supplies the credential of each request. */
export interface RemoteCredential {
  /** Value of the Authorization header. */
  authorization(): Promise<string>;
  /**
   * Gets a new credential unless the refused one was replaced already.
   * @param refused the value of `authorization` that the service refused
   * @returns false if there is none: the refusal is final
   */
  renew(refused: string): boolean;
}

export interface RemoteRequest {
  readonly method: 'GET' | 'POST';
  /** Path below the base URL, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Statuses that are returned besides 2xx. */
  readonly accepts?: readonly number[];
}

export interface RemoteAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: OutboundResponse['headers'];
}

export interface RemoteClientOptions {
  readonly sender: OutboundSender;
  readonly pace: RequestPace;
  /** Waits; rejects when the run is stopped. */
  readonly sleep: (ms: number) => Promise<void>;
  /** A number from 0 to 1, for the jitter. */
  readonly random: () => number;
  /** Aborts requests when the run is stopped. */
  readonly signal: AbortSignal;
  readonly onRetry?: (reason: string, waitMs: number) => void;
  /** Largest body, also when it is unpacked. */
  readonly bodyBytesMax: number;
  /** Milliseconds before the first repetition. */
  readonly backoffMs?: number;
}

/** Repetitions after failures in a row: with the backoff five minutes on average, ten at most. */
const RETRIES_MAX = 24;
/**
 * The same before the first answer, as the address may be wrong, and after a request that was given
 * up, as the others will be, too: about two seconds.
 */
const FEW_RETRIES_MAX = 4;
/** Answers of 429 in a row: a service whose Retry-After does not help. */
const REFUSALS_MAX = 100;
const BACKOFF_MS = 250;
const BACKOFF_MS_MAX = 30_000;
const RETRY_AFTER_MS_MAX = 3_600_000;
const RETRIED: ReadonlySet<number> = new Set([408, 425, 500, 502, 503, 504]);
const unpack = promisify(gunzip);

export class RemoteClient {
  readonly #base: URL;
  readonly #credential: RemoteCredential | null;
  readonly #options: RemoteClientOptions;
  #wasAnswered = false;
  /** Whether failures ended the last request that ended. */
  #gaveUp = false;

  /** @param credential null: requests without one, such as those of a token */
  constructor(base: URL, credential: RemoteCredential | null, options: RemoteClientOptions) {
    this.#base = base;
    this.#credential = credential;
    this.#options = options;
  }

  /**
   * Sends a request, and repeats it until it is answered.
   * @param read reads the answer; the request is repeated if it throws BadAnswer
   * @throws ServiceError `unavailable` once that is hopeless; OutboundTooLarge
   */
  async call<T>(
    request: RemoteRequest,
    read: (answer: RemoteAnswer) => T | Promise<T>,
  ): Promise<T> {
    let failures = 0;
    let refusals = 0;
    let renewed = false;
    for (;;) {
      const attempt = await this.#attempt(request, read);
      if (attempt.kind === 'read') {
        this.#gaveUp = false;
        return attempt.value;
      }
      if (attempt.kind === 'refused' && !renewed && this.#renew(attempt)) {
        renewed = true;
        continue;
      }
      const retriesMax = this.#wasAnswered && !this.#gaveUp ? RETRIES_MAX : FEW_RETRIES_MAX;
      const again =
        (attempt.kind === 'busy' && refusals++ < REFUSALS_MAX) ||
        (attempt.kind === 'failed' && failures++ < retriesMax);
      if (!again) {
        this.#gaveUp = attempt.kind === 'failed';
        throw new ServiceError('unavailable', attempt.reason);
      }
      // A service that says "at once", or a time that has passed, is not asked again at once.
      const wait = Math.max(attempt.waitMs ?? 0, this.#backoff(failures + refusals));
      if (attempt.kind === 'busy') this.#options.pace.pause(wait);
      this.#options.onRetry?.(attempt.reason, wait);
      await this.#options.sleep(wait);
    }
  }

  #renew({ authorization }: Extract<Attempt<unknown>, { kind: 'refused' }>): boolean {
    return authorization !== undefined && this.#credential?.renew(authorization) === true;
  }

  async #attempt<T>(
    request: RemoteRequest,
    read: (answer: RemoteAnswer) => T | Promise<T>,
  ): Promise<Attempt<T>> {
    const { sender, pace, sleep, signal, bodyBytesMax } = this.#options;
    const authorization = await this.#credential?.authorization();
    const wait = pace.reserve();
    if (wait > 0) await sleep(wait);
    signal.throwIfAborted();
    const url = new URL(`${this.#base.pathname.replace(/\/+$/, '')}${request.path}`, this.#base);
    let response: OutboundResponse;
    try {
      response = await sender.send(url, {
        method: request.method,
        headers: headersOf(request, authorization),
        signal,
        ...(request.body === undefined ? {} : { body: bodyOf(request.body) }),
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ServiceError) || isFinal(error)) throw error;
      return { kind: 'failed', reason: error.message };
    }
    this.#wasAnswered = true;
    const { status, headers } = response;
    const place = `${request.method} ${url.origin}${url.pathname}`;
    if ((status < 200 || status > 299) && request.accepts?.includes(status) !== true) {
      return faultOf(response, place, authorization);
    }
    try {
      const body = await unpacked(response, url, bodyBytesMax);
      return { kind: 'read', value: await read({ status, headers, body }) };
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error;
      return { kind: 'failed', reason: `${place} answered ${status} with ${error.message}` };
    }
  }

  /** Exponential, with full jitter. */
  #backoff(failures: number): number {
    const { backoffMs = BACKOFF_MS, random } = this.#options;
    const ceiling = Math.min(BACKOFF_MS_MAX, backoffMs * 2 ** Math.min(failures - 1, 20));
    return Math.ceil(ceiling * random());
  }
}

/** When an answer was sent, by the clock of the service if it says so; ISO 8601. */
export function answeredAt({ headers }: Pick<RemoteAnswer, 'headers'>): string {
  const date = Date.parse(headers.date ?? '');
  return new Date(Number.isNaN(date) ? Date.now() : date).toISOString();
}

/** The answer is not what the API documents; the message continues `answered 200 with …`. */
export class BadAnswer extends Error {}

function isFinal(error: ServiceError): boolean {
  return error instanceof OutboundTooLarge || error instanceof OutboundRefused;
}

type Attempt<T> =
  | { readonly kind: 'read'; readonly value: T }
  | {
      /** `busy`: 429; `final`: repeating does not help. */
      readonly kind: 'failed' | 'busy' | 'final';
      readonly reason: string;
      readonly waitMs?: number;
    }
  | {
      /** 401. */
      readonly kind: 'refused';
      readonly reason: string;
      readonly waitMs?: never;
      readonly authorization: string | undefined;
    };

function faultOf(
  { status, headers, body }: OutboundResponse,
  place: string,
  authorization: string | undefined,
): Attempt<never> {
  const reason = `${place} answered ${status}${messageOf(body, headers['content-encoding'])}`;
  if (status === 429) {
    return { kind: 'busy', reason, waitMs: retryAfterMs(headers) ?? 10_000 };
  }
  if (status === 401) return { kind: 'refused', reason, authorization };
  if (!RETRIED.has(status)) return { kind: 'final', reason };
  const waitMs = retryAfterMs(headers);
  return { kind: 'failed', reason, ...(waitMs === null ? {} : { waitMs }) };
}

/** Retry-After: seconds, or a date (RFC 9110 section 10.2.3) by the clock of the service. */
function retryAfterMs({ 'retry-after': value, date }: RemoteAnswer['headers']): number | null {
  if (value === undefined) return null;
  const sentAt = Date.parse(date ?? '');
  const now = Number.isNaN(sentAt) ? Date.now() : sentAt;
  const seconds = /^\d{1,9}$/.test(value.trim())
    ? Number(value)
    : (Date.parse(value) - now) / 1_000;
  if (!Number.isFinite(seconds)) return null;
  return Math.min(RETRY_AFTER_MS_MAX, Math.max(0, seconds * 1_000));
}

/** The message of an error of any of the public formats, for people; empty if there is none. */
function messageOf(body: Buffer, encoding: string | undefined): string {
  if (encoding !== undefined || body.length > 100_000) return '';
  try {
    const value = JSON.parse(body.toString()) as Record<string, unknown>;
    const messages = value['messages'] as { text?: unknown }[] | undefined;
    const text =
      messages?.at(-1)?.text ?? value['error_description'] ?? value['message'] ?? value['error'];
    return typeof text === 'string' ? `: ${text.slice(0, 200)}` : '';
  } catch {
    return '';
  }
}

async function unpacked(response: OutboundResponse, url: URL, bytesMax: number): Promise<Buffer> {
  if (response.headers['content-encoding']?.toLowerCase() !== 'gzip') return response.body;
  try {
    return await unpack(response.body, { maxOutputLength: bytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') {
      throw new BadAnswer('a body that cannot be unpacked');
    }
    throw new OutboundTooLarge('unavailable', `${url.pathname}: the answer is too large`);
  }
}

function headersOf({ body }: RemoteRequest, authorization: string | undefined) {
  const type =
    body instanceof URLSearchParams ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': 'cardea-mirror',
    ...(authorization === undefined ? {} : { authorization }),
    ...(body === undefined ? {} : { 'content-type': type }),
  };
}

function bodyOf(body: unknown): string {
  return body instanceof URLSearchParams ? body.toString() : JSON.stringify(body);
}
