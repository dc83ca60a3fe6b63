// Every request of the console: the token goes in here, and every failure leaves as an ApiFault. A 401 ends the
// session, no answer at all starts the watch for the service's return.
import { lost, SERVICE } from './connection.ts';
import { ApiFault, faultOfAnswer } from './fault.ts';
import { end, session } from './session.ts';

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON; a Blob as it is. */
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * A call with the token of the session.
 * @param path below the service, without a slash at the beginning
 * @throws ApiFault
 */
export async function call(path: string, options: CallOptions = {}): Promise<Response> {
  const token = session.get()?.token;
  const answer = await fetchAnswer(path, {
    ...options,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...options.headers,
    },
  });
  if (answer.ok) return answer;
  const fault = faultOfAnswer(answer.status, await jsonOf(answer));
  // A token that was replaced meanwhile says nothing about the one of now.
  if (fault.kind === 'signed-out' && session.get()?.token === token) {
    end('Your session has ended. Sign in again to go on.');
  }
  if (fault.kind === 'away') lost();
  throw fault;
}

/** As call, for the JSON of the answer. */
export async function callJson<T>(path: string, options: CallOptions = {}): Promise<T> {
  return (await (await call(path, options)).json()) as T;
}

/** A token for a client id and secret. @throws ApiFault `refused` or `signed-out` where they are wrong */
export async function requestToken(clientId: string, clientSecret: string): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const answer = await fetchAnswer('oauth/token', { method: 'POST', body: form });
  const body = (await jsonOf(answer)) as { access_token?: string } | null;
  if (!answer.ok || body?.access_token === undefined) throw faultOfAnswer(answer.status, body);
  return body.access_token;
}

async function fetchAnswer(path: string, options: CallOptions): Promise<Response> {
  const { method = 'GET', body, type = 'application/json', headers = {}, signal } = options;
  const ready = body instanceof Blob || body instanceof URLSearchParams;
  try {
    return await fetch(new URL(path, SERVICE), {
      method,
      headers: {
        ...headers,
        ...(body === undefined || body instanceof URLSearchParams ? {} : { 'content-type': type }),
      },
      cache: 'no-store',
      credentials: 'omit',
      ...(body === undefined ? {} : { body: ready ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    lost();
    throw new ApiFault('away', 'The service cannot be reached.');
  }
}

async function jsonOf(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    // An answer without a body that can be read still has its status.
    return null;
  }
}
