// A caller of profile management who has an API key, as most of its clients do.
import { createApiKey } from '../../src/identity/profiles/api-keys.ts';
import { documented } from './documented.ts';
import type { RunningService } from './service.ts';

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON; null where there is no body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes, which docs/openapi.yaml checks
  readonly body: any;
}

/** Calls with a JSON body; the answer must be a documented one. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/**
 * Makes a key and calls with it.
 * @param tenantId of the service's own tenant when left out
 */
export async function withApiKey(
  { url, cardea, tenantId: own }: RunningService,
  tenantId: string = own,
  choices: { readonly scope?: 'read' | 'manage' } = {},
): Promise<{ readonly key: string; readonly id: string; readonly call: Call }> {
  const { key, stored } = await createApiKey(cardea.store, tenantId, { name: 'test', ...choices });
  return { key, id: stored.id, call: caller(url, `Bearer ${key}`) };
}

/** Calls with any header, or none. */
export function caller(url: string, authorization: string | null): Call {
  return async (method, path, body, headers = {}) => {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const { status, headers: received } = answer;
    const text = await (await documented(method, path, answer)).text();
    return { status, headers: received, body: text === '' ? null : JSON.parse(text) };
  };
}
