// Calls about auth users.
import type { PatchOperation } from '../users/capability-change.ts';
import { call } from './client.ts';

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

/** A user and the ETag of the version that was read. */
export interface TaggedUser {
  readonly user: AuthUser;
  readonly etag: string;
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
