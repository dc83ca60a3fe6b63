// Searches of an assistant on a server, over the public API: a Cardea, or a tenant of the vendor,
// which has no explain. An access token is requested with client credentials, and again when the
// server rejects it.
// Invariant: no message has a secret or a token.
import {
  ANSWER_BYTES_MAX,
  answerTooLarge,
  RefusedCall,
  type SearchAccess,
  type SearchBody,
} from './search-access.ts';

/** A server and the credentials for it. */
export interface RemoteServer {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** An access token, or the id and secret of a client that gets one. */
  readonly credentials:
    | { readonly token: string }
    | { readonly clientId: string; readonly clientSecret: string };
}

interface Answer {
  readonly body: unknown;
  readonly total: number | null;
  readonly warnings: readonly string[];
}

const TIMEOUT_MS = 120_000;

export function remoteAccess(server: RemoteServer): SearchAccess {
  const client = new RemoteClient(server);
  const post = (path: string, body: SearchBody) => client.call('POST', path, body);
  return {
    async search(body, { limit, offset }) {
      const path = `/v2024/search?limit=${limit}&offset=${offset}&count=true`;
      const { body: answer, total, warnings } = await post(path, body);
      const rows = Array.isArray(answer) ? answer : [];
      return { rows, total: total ?? rows.length, warnings };
    },
    async rows(body, limit) {
      const path = `/v2024/search/rows?limit=${limit}&count=true`;
      const { body: answer, total, warnings } = await post(path, body);
      const rows = Array.isArray(answer) ? answer : [];
      return { rows, total: total ?? rows.length, warnings };
    },
    async count(body) {
      const { total, warnings } = await post('/v2024/search/count', body);
      return { total: total ?? 0, warnings };
    },
    async aggregate(body) {
      const { body: answer, warnings } = await post('/v2024/search/aggregate?limit=0', body);
      return { aggregations: (answer as { aggregations?: unknown })?.aggregations, warnings };
    },
    async get(index, id) {
      const path = `/v2024/search/${encodeURIComponent(index)}/${encodeURIComponent(id)}`;
      return (await client.call('GET', path)).body;
    },
    async explain(body, document) {
      const query = document === null ? '' : `?${new URLSearchParams({ ...document })}`;
      return (await post(`/v2024/search/explain${query}`, body)).body;
    },
  };
}

class RemoteClient {
  readonly #server: RemoteServer;
  #token: string | null = null;

  constructor(server: RemoteServer) {
    this.#server = server;
  }

  /** @throws RefusedCall for any answer but success */
  async call(method: 'GET' | 'POST', path: string, body?: SearchBody): Promise<Answer> {
    let response = await this.#send(method, path, body);
    if (response.status === 401 && 'clientId' in this.#server.credentials) {
      await response.body?.cancel();
      this.#token = null;
      response = await this.#send(method, path, body);
    }
    const text = await boundedText(response);
    if (!response.ok) throw refusalOf(response, text);
    const total = response.headers.get('x-total-count');
    return {
      body: text === '' ? null : parsed(text),
      total: total === null ? null : Number(total),
      warnings: warningsIn(response.headers.get('warning')),
    };
  }

  async #send(method: string, path: string, body: SearchBody | undefined): Promise<Response> {
    const headers = {
      authorization: `Bearer ${await this.#accessToken()}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return this.#fetch(path, { method, headers, ...sent });
  }

  async #accessToken(): Promise<string> {
    const { credentials } = this.#server;
    if ('token' in credentials) return credentials.token;
    this.#token ??= await this.#newToken(credentials);
    return this.#token;
  }

  async #newToken({ clientId, clientSecret }: { clientId: string; clientSecret: string }) {
    const response = await this.#fetch('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
    });
    const text = await boundedText(response);
    const token = response.ok ? (parsed(text) as { access_token?: unknown }).access_token : null;
    if (typeof token === 'string') return token;
    throw new RefusedCall(
      `${this.#server.baseUrl} gave no access token (${response.status}): check the client id and secret.`,
    );
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const { baseUrl } = this.#server;
    try {
      return await fetch(baseUrl + path, {
        ...init,
        // A redirect would send the credentials elsewhere.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      const { cause } = error as { cause?: { message?: string } };
      throw new RefusedCall(
        `${baseUrl} cannot be reached: ${cause?.message || (error as Error).message}`,
      );
    }
  }
}

/** Reads the body. @throws RefusedCall if it is too large */
async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) throw answerTooLarge(length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusedCall('The server did not answer with JSON: is its base URL right?');
  }
}

/** The texts of an error in the format of the public API, or the status alone. */
function refusalOf(response: Response, text: string): RefusedCall {
  const retryAfter = response.headers.get('retry-after');
  const status = `The server answered ${response.status}${retryAfter === null ? '' : `; try again after ${retryAfter} s`}.`;
  let body: { messages?: unknown; causes?: unknown };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return new RefusedCall(status);
  }
  const textsOf = (list: unknown): string[] =>
    Array.isArray(list)
      ? list.flatMap((item: { text?: unknown }) =>
          typeof item?.text === 'string' ? [item.text] : [],
        )
      : [];
  const [message] = textsOf(body.messages);
  return new RefusedCall(
    message === undefined ? status : `${status} ${message}`,
    textsOf(body.causes),
  );
}

/** The texts of `299 - "…", 299 - "…"`. */
function warningsIn(header: string | null): string[] {
  return [...(header ?? '').matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(.)/g, '$1'),
  );
}
