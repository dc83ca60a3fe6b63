// The access token of a mirror: from client credentials (RFC 6749 section 4.4), one for all requests
// until shortly before it expires.
// Invariant: the secret goes to the token endpoint and nowhere else.
import { BadAnswer, type RemoteClient, type RemoteCredential } from './remote-client.ts';

/** A token is renewed this long before it expires, or after half of its life. */
const MARGIN_MS = 60_000;
const VALIDITY_SECONDS = 720;

interface AccessToken {
  readonly token: string;
  readonly renewAt: number;
}

export class ClientCredentials implements RemoteCredential {
  readonly #client: RemoteClient;
  readonly #id: string;
  readonly #secret: string;
  readonly #now: () => number;
  #current: Promise<AccessToken> | null = null;
  #renewAt = 0;
  /** The header with the current token; null while it is requested. */
  #latest: string | null = null;

  constructor(client: RemoteClient, id: string, secret: string, now: () => number) {
    this.#client = client;
    this.#id = id;
    this.#secret = secret;
    this.#now = now;
  }

  async authorization(): Promise<string> {
    return headerOf(await this.token());
  }

  async token(): Promise<string> {
    if (this.#current === null || this.#now() >= this.#renewAt) {
      this.#renewAt = Number.POSITIVE_INFINITY;
      this.#latest = null;
      this.#current = this.#request();
    }
    const current = this.#current;
    try {
      const { token, renewAt } = await current;
      if (this.#current === current && this.#renewAt === Number.POSITIVE_INFINITY) {
        this.#renewAt = renewAt;
        this.#latest = headerOf(token);
      }
      return token;
    } catch (error) {
      if (this.#current === current) this.#current = null;
      throw error;
    }
  }

  renew(refused: string): boolean {
    // Requests that were under way are refused together, and share the next token.
    if (refused === this.#latest) this.#renewAt = 0;
    return true;
  }

  #request(): Promise<AccessToken> {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: this.#id,
      client_secret: this.#secret,
    });
    return this.#client.call({ method: 'POST', path: '/oauth/token', body }, ({ body: answer }) => {
      const { access_token: token, expires_in: seconds } = parsed(answer);
      if (typeof token !== 'string') throw new BadAnswer('no access_token');
      const validMs = 1_000 * (typeof seconds === 'number' ? seconds : VALIDITY_SECONDS);
      return { token, renewAt: this.#now() + Math.max(validMs - MARGIN_MS, validMs / 2) };
    });
  }
}

function headerOf(token: string): string {
  return `Bearer ${token}`;
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    throw new BadAnswer('a body that is not JSON');
  }
}
