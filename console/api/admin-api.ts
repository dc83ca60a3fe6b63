// Calls of the administration pages: readiness, node status, tokens and API keys.
import { call, callJson } from './client.ts';
import { SERVICE } from './connection.ts';
import type { MirrorStatus } from './mirror-status.ts';
import type { NodeStatus } from './node-status.ts';

/** A personal access token, without its secret. */
export interface AccessToken {
  readonly id: string;
  readonly name: string;
  readonly scope: readonly string[] | null;
  readonly owner: { readonly id: string; readonly name: string };
  readonly created: string;
  readonly lastUsed: string | null;
  readonly expirationDate: string | null;
  /** The view that it is restricted to; absent: none. */
  readonly view?: string;
}

/** A personal access token to create; an absent view or expiry is that of the service's default. */
export interface NewAccessToken {
  readonly name: string;
  readonly scope: readonly string[];
  readonly view?: string;
  readonly expirationDate?: string;
}

/** An API key of profile management, without the key text. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly created: string;
  readonly scope: 'read' | 'manage';
  /** ISO 8601; null: never expires. */
  readonly expires: string | null;
  readonly owner: { readonly id: string; readonly name: string } | null;
  /** ISO 8601; null: never used. */
  readonly lastUsed: string | null;
}

const TOKENS = 'v2024/personal-access-tokens';
const API_KEYS = 'admin/v1/api-keys';

/** The state of the service. */
export interface Readiness {
  /** Why it is not ready; empty when it is. */
  readonly reasons: readonly string[];
  /** Problems with which it still answers. */
  readonly warnings: readonly string[];
}

export async function readiness(signal: AbortSignal): Promise<Readiness> {
  const answer = await fetch(new URL('ready', SERVICE), { signal, cache: 'no-store' });
  const { reasons = [], warnings = [] } = (await answer.json()) as Partial<Readiness>;
  if (answer.ok || reasons.length > 0) return { reasons, warnings };
  return { reasons: [`The service responded with status ${answer.status}.`], warnings };
}

/** Lists all tokens of the tenant, those of the signed-in user (`me`), or those of an auth user by id. */
export async function listTokens(
  whose: 'all' | 'me' | (string & {}),
  signal: AbortSignal,
): Promise<AccessToken[]> {
  const query = whose === 'all' ? '' : `?owner-id=${encodeURIComponent(whose)}`;
  return callJson(`${TOKENS}${query}`, { signal });
}

/** Creates a token. Only this response has its secret. */
export async function createToken(
  token: NewAccessToken,
): Promise<AccessToken & { secret: string }> {
  return callJson(TOKENS, { method: 'POST', body: token });
}

export async function deleteToken(id: string): Promise<void> {
  await call(`${TOKENS}/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

export function nodeStatus(signal: AbortSignal): Promise<NodeStatus> {
  return callJson('admin/v1/status', { signal });
}

/** The mirror of the tenant; null if it is none. */
export async function mirrorStatus(signal: AbortSignal): Promise<MirrorStatus | null> {
  const { mirror } = await callJson<{ mirror: MirrorStatus | null }>('admin/v1/mirror', { signal });
  return mirror;
}

export function listApiKeys(signal: AbortSignal): Promise<ApiKey[]> {
  return callJson(API_KEYS, { signal });
}

/** Creates an API key. Only this response has the key text. */
export function createApiKey(
  request: Pick<ApiKey, 'name' | 'scope'>,
): Promise<ApiKey & { apiKey: string }> {
  return callJson(API_KEYS, { method: 'POST', body: request });
}

export async function deleteApiKey(id: string): Promise<void> {
  await call(`${API_KEYS}/${encodeURIComponent(id)}`, { method: 'DELETE' });
}
