// Calls profile management with an API key, as most of its clients do.
import { createCredential } from '../../src/service/credentials/credentials.ts';
import { documented } from './documented.ts';
import type { RunningService } from './service.ts';

/** A response. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; null without a body. */
  // biome-ignore lint/suspicious/noExplicitAny: docs/openapi.yaml checks the shape
  readonly body: any;
}

/** Sends a request with a JSON body; the response must match docs/openapi.yaml. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/**
 * Creates an API key and a call that uses it.
 * @param tenantId the tenant of the service by default
 */
export async function withApiKey(
  { url, cardea, tenantId: own }: RunningService,
  tenantId: string = own,
  choices: { readonly scope?: 'read' | 'manage' } = {},
): Promise<{ readonly key: string; readonly id: string; readonly call: Call }> {
  const { secret: key, credential: stored } = await createCredential(
    cardea.store,
    tenantId,
    'key',
    { name: 'test', ...choices },
  );
  return { key, id: stored.id, call: caller(url, `Bearer ${key}`) };
}

/** Creates a call with an Authorization header, or without one. */
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
