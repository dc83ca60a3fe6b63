// Calls about API clients.
import { call, callJson } from './client.ts';

/** The members of an API client that the console shows. */
export interface ApiClient {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly grantTypes: readonly string[];
  readonly accessTokenValiditySeconds: number;
  readonly enabled: boolean;
  readonly scope: readonly string[];
  readonly created: string;
  /** ISO 8601; null: never used. */
  readonly lastUsed: string | null;
  /** The view that it is restricted to; absent: none. */
  readonly view?: string;
}

export type NewApiClient = Pick<
  ApiClient,
  'name' | 'description' | 'grantTypes' | 'scope' | 'view'
>;

const CLIENTS = 'v2024/oauth-clients';
const pathOf = (id: string) => `${CLIENTS}/${encodeURIComponent(id)}`;

export function listClients(signal: AbortSignal): Promise<ApiClient[]> {
  return callJson(CLIENTS, { signal });
}

/** Creates a client. Only this response has its secret. */
export function createClient(client: NewApiClient): Promise<ApiClient & { secret: string }> {
  return callJson(CLIENTS, { method: 'POST', body: client });
}

/** While a client is disabled, the service refuses its tokens. */
export async function enableClient(id: string, enabled: boolean): Promise<void> {
  await call(pathOf(id), {
    method: 'PATCH',
    body: [{ op: 'replace', path: '/enabled', value: enabled }],
    type: 'application/json-patch+json',
  });
}

export async function deleteClient(id: string): Promise<void> {
  await call(pathOf(id), { method: 'DELETE' });
}
