// Sends the requests of the console. Adds the token, and turns every failure into an ApiFault. A
// 401 ends the session; a request without an answer starts the checks for the service's return.
import { Cell } from '../model/cell.ts';
import { type ProviderUser, providerUserOf } from './claims.ts';
import { markUnreachable, SERVICE } from './connection.ts';
import { ApiFault, faultOfAnswer } from './fault.ts';
import { endRefused, session } from './session.ts';

/** Counts requests that the service refused for lack of rights, which may have changed. */
export const refusals = new Cell(0);

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON, except for a Blob. */
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of the token of the session. */
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/**
 * Calls the service with the token of the session.
 * @param path relative to the service, without a leading slash
 * @throws ApiFault
 */
export async function call(path: string, options: CallOptions = {}): Promise<Response> {
  const token = options.token ?? session.get()?.token;
  const answer = await fetchAnswer(path, {
    ...options,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...options.headers,
    },
  });
  if (answer.ok) return answer;
  const fault = faultOfAnswer(answer.status, await jsonOf(answer));
  // One for a token that has been replaced since does not concern the current session.
  if (fault.kind === 'signed-out') endRefused(token);
  if (fault.kind === 'forbidden') refusals.set(refusals.get() + 1);
  if (fault.kind === 'unavailable') markUnreachable();
  throw fault;
}

/** Same as `call`, and parses the JSON of the response. */
export async function callJson<T>(path: string, options: CallOptions = {}): Promise<T> {
  return (await (await call(path, options)).json()) as T;
}

/** Requests a token with client credentials. @throws ApiFault `refused` or `signed-out` if wrong */
export async function requestToken(clientId: string, clientSecret: string): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  return tokenOf(await fetchAnswer('oauth/token', { method: 'POST', body: form }));
}

/** Exchanges the code of a sign-in link for a token. @throws ApiFault if it was used or expired */
export async function redeemCode(code: string): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'urn:cardea:grant:sign-in-code', code });
  return tokenOf(await fetchAnswer('oauth/token', { method: 'POST', body: form }));
}

/** The user of a token, as the service sees it. @throws ApiFault `signed-out` if it is refused */
export async function readUserInfo(token: string): Promise<ProviderUser> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetchAnswer('oauth/userinfo', { headers });
  const body = await jsonOf(answer);
  if (!answer.ok) throw faultOfAnswer(answer.status, body);
  return providerUserOf(body as Readonly<Record<string, unknown>>);
}

async function tokenOf(answer: Response): Promise<string> {
  const body = (await jsonOf(answer)) as { access_token?: string } | null;
  if (!answer.ok || body?.access_token === undefined) throw faultOfAnswer(answer.status, body);
  return body.access_token;
}

async function fetchAnswer(path: string, options: CallOptions): Promise<Response> {
  const { method = 'GET', body, type = 'application/json', headers = {}, signal } = options;
  const isEncoded = body instanceof Blob || body instanceof URLSearchParams;
  try {
    return await fetch(new URL(path, SERVICE), {
      method,
      headers: {
        // A server for tests then neither records nor faults what the console itself asks for.
        'cardea-test': 'setup',
        ...headers,
        ...(body === undefined || body instanceof URLSearchParams ? {} : { 'content-type': type }),
      },
      cache: 'no-store',
      credentials: 'omit',
      ...(body === undefined ? {} : { body: isEncoded ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    markUnreachable();
    throw new ApiFault('unavailable', 'The service cannot be reached.');
  }
}

async function jsonOf(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    // The status alone has to do for a response without a JSON body.
    return null;
  }
}
