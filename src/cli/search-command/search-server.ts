// A server that the command line searches: any service with the vendor's search API. One access token
// is used until it is refused, and a request that the service puts off is sent again after its
// Retry-After.
// Invariant: the secret goes to the token endpoint of the server and nowhere else, and into no message.
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError } from '../context.ts';

export interface ServerAccess {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface ServerOptions {
  /** Aborts when the command is stopped. */
  readonly signal: AbortSignal;
  /** Called before a request is sent again. */
  readonly onWait: (reason: string, waitMs: number) => void;
}

/** The service refused a request; the text has its reason and the place. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const ATTEMPTS_MAX = 30;
const WAIT_MS = 1_000;
const WAIT_MS_MAX = 300_000;
const POSTPONED: ReadonlySet<number> = new Set([429, 503]);

export class SearchServer {
  readonly baseUrl: string;
  readonly #access: ServerAccess;
  readonly #options: ServerOptions;
  #token: string | null = null;

  constructor(access: ServerAccess, options: ServerOptions) {
    this.baseUrl = access.baseUrl.replace(/\/+$/, '');
    this.#access = access;
    this.#options = options;
  }

  /**
   * Sends a JSON body.
   * @param path below the base URL, with its query
   * @returns an answer with a status of 2xx
   * @throws Refusal, CommandError if the server cannot be reached
   */
  async post(path: string, body: object, accept = 'application/json'): Promise<Response> {
    let isNew = false;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#token === null) {
        this.#token = await this.#requestToken();
        isNew = true;
      }
      const response = await this.#send(path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#token}`,
          'content-type': 'application/json',
          accept,
        },
        body: JSON.stringify(body),
      });
      if (response.ok) return response;
      if (response.status === 401 && !isNew) {
        await response.text();
        this.#token = null;
        continue;
      }
      await this.#waitOrThrow(response, attempt);
    }
  }

  async #requestToken(): Promise<string> {
    const { clientId, clientSecret } = this.#access;
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#send('/oauth/token', {
        method: 'POST',
        body: new URLSearchParams({
          ...{ grant_type: 'client_credentials', client_id: clientId },
          client_secret: clientSecret,
        }),
      });
      if (response.ok) {
        const { access_token: token } = (await response.json()) as { access_token?: unknown };
        if (typeof token === 'string') return token;
        throw new CommandError(`${this.baseUrl}/oauth/token answered without an access token.`);
      }
      await this.#waitOrThrow(response, attempt);
    }
  }

  async #send(path: string, request: RequestInit): Promise<Response> {
    const { signal } = this.#options;
    try {
      return await fetch(`${this.baseUrl}${path}`, { ...request, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new CommandError(`${this.baseUrl} cannot be reached: ${reasonOf(error)}.`);
    }
  }

  /** Waits as long as the service says. @throws Refusal if it refused the request for good */
  async #waitOrThrow(response: Response, attempt: number): Promise<void> {
    const text = await response.text();
    const reason = refusalText(response.status, text);
    if (!POSTPONED.has(response.status) || attempt >= ATTEMPTS_MAX) {
      throw new Refusal(response.status, reason);
    }
    const { signal, onWait } = this.#options;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const waitMs = Number.isFinite(seconds) ? Math.min(seconds * 1_000, WAIT_MS_MAX) : WAIT_MS;
    onWait(reason, waitMs);
    await delay(waitMs, undefined, { signal });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ''
    ? error.cause.message
    : error.message;
}

interface ErrorBody {
  readonly error_description?: string;
  readonly messages?: readonly { readonly text?: string }[];
  readonly causes?: readonly { readonly text?: string }[];
}

/** The reasons of an error answer. */
function refusalText(status: number, text: string): string {
  try {
    const { error_description: description, messages, causes } = JSON.parse(text) as ErrorBody;
    const texts = (causes ?? messages ?? []).flatMap((one) => one.text ?? []);
    if (texts.length > 0) return texts.join('\n');
    if (description !== undefined) return description;
  } catch {
    // Not the error format of the service.
  }
  return `the server answered ${status}`;
}
