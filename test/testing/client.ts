// A small client of a test tenant: one token, and requests whose responses must match
// docs/openapi.yaml.
import assert from 'node:assert/strict';
import type { TestTenant } from '../../src/testing/index.ts';
import { documented } from '../support/documented.ts';

export class TestClient {
  readonly #tenant: Pick<TestTenant, 'baseUrl' | 'credentials'>;
  #token: Promise<string> | null = null;

  constructor(tenant: Pick<TestTenant, 'baseUrl' | 'credentials'>) {
    this.#tenant = tenant;
  }

  /** Requests a new access token. */
  async newToken(): Promise<string> {
    const { clientId, clientSecret } = this.#tenant.credentials;
    const answer = await fetch(`${this.#tenant.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
    });
    assert.equal(answer.status, 200, await answer.clone().text());
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    this.#token ??= this.newToken();
    const answer = await fetch(`${this.#tenant.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return documented(method, path, answer);
  }

  /** The ids of the documents that a query finds, in order. */
  async ids(index: string, query: string): Promise<string[]> {
    const body = { indices: [index], query: { query }, sort: ['id'] };
    const answer = await this.call('POST', '/v2024/search?limit=250', body);
    assert.equal(answer.status, 200, await answer.clone().text());
    return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
  }
}
