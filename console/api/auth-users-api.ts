// Calls about auth users.

import type { PatchOperation } from '../model/capability-change.ts';
import type { UserChange } from '../model/change-lines.ts';
import { BYTE_ORDER_MARK } from '../model/csv.ts';
import { call, callJson } from './client.ts';

/** The members of an auth user that the console shows. */
export interface AuthUser {
  readonly id: string;
  readonly uid: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly lastLoginTimestamp: number;
  readonly lastPasswordChangeDate: string | null;
  readonly capabilities: readonly string[];
}

/** An auth user as the list of administrators has it. */
export interface ListedUser extends AuthUser {
  readonly alias: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly identificationNumber: string | null;
  readonly enabled: boolean;
  /** The view that all tokens of the user are restricted to; null: none. */
  readonly view: string | null;
}

/** A list of auth users: filter and sorters of the service. */
export interface UserListQuery {
  /** '' matches all. */
  readonly filters: string;
  readonly sorters: string;
}

/** A user and the ETag of the version that was read. */
export interface TaggedUser {
  readonly user: AuthUser;
  readonly etag: string;
}

/** Most users of one request. */
export const USERS_MAX = 10_000;
const USERS = 'admin/v1/auth-users';

/** Lists auth users, with the number of all that match. @throws ApiFault */
export async function listAuthUsers(
  query: UserListQuery,
  page: { readonly limit: number; readonly offset: number },
  signal: AbortSignal,
): Promise<{ readonly users: readonly ListedUser[]; readonly total: number }> {
  const parameters = listParameters(query, page);
  const answer = await call(`${USERS}?${parameters}&count=true`, { signal });
  return { users: (await answer.json()) as ListedUser[], total: totalOf(answer) };
}

/** All matching users as CSV, a row for each user and capability. @throws ApiFault */
export async function holdersCsv(
  query: UserListQuery,
  signal: AbortSignal,
): Promise<{ readonly blob: Blob; readonly count: number }> {
  const parts: string[] = [BYTE_ORDER_MARK];
  for (let offset = 0; ; offset += USERS_MAX) {
    const parameters = listParameters(query, { limit: USERS_MAX, offset });
    const headers = { accept: 'text/csv' };
    const answer = await call(`${USERS}?${parameters}`, { signal, headers });
    const text = await answer.text();
    // The head is that of the first page.
    parts.push(offset === 0 ? text : text.slice(text.indexOf('\n') + 1));
    const total = totalOf(answer);
    if (offset + USERS_MAX < total) continue;
    return { blob: new Blob(parts, { type: 'text/csv;charset=utf-8' }), count: total };
  }
}

/** The changes of a user, newest first, and how many there are. @throws ApiFault */
export async function authUserHistory(
  id: string,
  page: { readonly limit: number; readonly offset: number },
  signal: AbortSignal,
): Promise<{ readonly changes: readonly UserChange[]; readonly total: number }> {
  const { limit, offset } = page;
  const parameters = `limit=${limit}&offset=${offset}&count=true`;
  const answer = await call(`${USERS}/${encodeURIComponent(id)}/history?${parameters}`, { signal });
  return { changes: (await answer.json()) as UserChange[], total: totalOf(answer) };
}

function listParameters(
  { filters, sorters }: UserListQuery,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): URLSearchParams {
  return new URLSearchParams({
    ...(filters === '' ? {} : { filters }),
    ...{ sorters, limit: String(limit), offset: String(offset) },
  });
}

function totalOf(answer: Response): number {
  return Number(answer.headers.get('x-total-count') ?? 0);
}

/** An auth user as administrators see it. @throws ApiFault */
export function readListedUser(id: string, signal: AbortSignal): Promise<ListedUser> {
  return callJson(`${USERS}/${encodeURIComponent(id)}`, { signal });
}

/** An auth user to create; what is absent has the default of the service. */
export interface NewAuthUser {
  readonly uid: string;
  readonly id?: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly view?: string;
}

/** Creates an auth user. @throws ApiFault */
export function createAuthUser(user: NewAuthUser): Promise<ListedUser> {
  return callJson(USERS, { method: 'POST', body: user });
}

/** Disables an auth user, or enables it again. @throws ApiFault */
export function setEnabled(id: string, enabled: boolean): Promise<ListedUser> {
  return callJson(`${USERS}/${encodeURIComponent(id)}`, { method: 'PATCH', body: { enabled } });
}

/** Ends all access tokens of an auth user. @throws ApiFault */
export async function signOutUser(id: string): Promise<void> {
  await call(`${USERS}/${encodeURIComponent(id)}/sign-out`, { method: 'POST' });
}

/** Deletes an auth user with its tokens and keys. @throws ApiFault */
export async function deleteAuthUser(id: string): Promise<void> {
  await call(`${USERS}/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

/** Restricts an auth user to a view. @param view null: to none @throws ApiFault */
export function restrictAuthUser(id: string, view: string | null): Promise<ListedUser> {
  return callJson(`${USERS}/${encodeURIComponent(id)}`, { method: 'PATCH', body: { view } });
}

/** @throws ApiFault */
export async function readAuthUser(id: string, signal?: AbortSignal): Promise<TaggedUser> {
  return tagged(await call(path(id), signal === undefined ? {} : { signal }));
}

/**
 * Changes the capabilities if the user still has the given ETag.
 * @throws ApiFault `changed` if it has another one
 */
export async function patchAuthUser(
  id: string,
  patch: readonly PatchOperation[],
  etag: string,
): Promise<TaggedUser> {
  return tagged(
    await call(path(id), {
      method: 'PATCH',
      body: patch,
      type: 'application/json-patch+json',
      headers: { 'if-match': etag },
    }),
  );
}

async function tagged(answer: Response): Promise<TaggedUser> {
  return { user: (await answer.json()) as AuthUser, etag: answer.headers.get('etag') ?? '*' };
}

function path(id: string): string {
  return `v2024/auth-users/${encodeURIComponent(id)}`;
}
