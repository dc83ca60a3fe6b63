// The bounds of a credential: its expiry, its scopes and its views. A credential created with the
// token of a personal access token also ends with that parent, keeps no scope that the parent loses
// and sees nothing that the parent and its owner do not see, and so on for all ancestors, whatever
// its own record says: a parent may be deleted, shortened or narrowed later.
import { commonScopes } from '../../auth/access.ts';
import type { OAuthClient, PersonalAccessToken, Records } from '../ports/store.ts';

type Lookups = Pick<Records, 'tokenById' | 'userStatus'>;

/** The expiry of a credential, and its scopes until then. */
export interface CredentialBounds {
  /** Epoch milliseconds; Infinity for never, -Infinity for a credential that has ended. */
  readonly ends: number;
  readonly scopes: readonly string[];
  /** Names of the views that restrict it, but for that of its own user. */
  readonly views: readonly string[];
  /** Ids of the auth users whose views are among them. */
  readonly authUsers: readonly string[];
}

/** The bounds of a credential that has ended or does not exist. */
export const ENDED: CredentialBounds = {
  ...{ ends: Number.NEGATIVE_INFINITY, scopes: [] },
  ...{ views: [], authUsers: [] },
};

/** Expiry in epoch milliseconds; Infinity for null. */
export function expiryMs(expires: string | null): number {
  return expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires);
}

/** The bounds of a personal access token; see `boundsOf`. */
export function boundsOfToken(
  records: Lookups,
  tenantId: string,
  { expirationDate, scope, parentId, view }: PersonalAccessToken,
): Promise<CredentialBounds> {
  const own = { ends: expiryMs(expirationDate), scopes: scope, views: listOf(view) };
  return boundsOf(records, tenantId, own, parentId);
}

/** The bounds of an API client, `ENDED` for a disabled one; see `boundsOf`. */
export async function boundsOfClient(
  records: Lookups,
  tenantId: string,
  { enabled, scope, parentId, view }: OAuthClient,
): Promise<CredentialBounds> {
  if (!enabled) return ENDED;
  const own = { ends: Number.POSITIVE_INFINITY, scopes: scope, views: listOf(view) };
  return boundsOf(records, tenantId, own, parentId);
}

/**
 * Combines the bounds in a credential's own record with those of its ancestors.
 * @param own the bounds in the record of the credential
 * @param parentId the personal access token that created it, or null
 * @returns `ENDED` when a parent or its owner no longer exists, or the owner is disabled
 */
export async function boundsOf(
  records: Lookups,
  tenantId: string,
  own: Omit<CredentialBounds, 'authUsers'>,
  parentId: string | null,
): Promise<CredentialBounds> {
  let { ends, scopes } = own;
  const views = [...own.views];
  const authUsers: string[] = [];
  for (let id = parentId; id !== null; ) {
    const parent = await records.tokenById(id);
    if (parent?.tenantId !== tenantId) return ENDED;
    const { token } = parent;
    const owner = await records.userStatus(tenantId, token.ownerId);
    if (owner?.enabled !== true) return ENDED;
    views.push(...listOf(token.view), ...listOf(owner.view));
    authUsers.push(token.ownerId);
    ends = Math.min(ends, expiryMs(token.expirationDate));
    scopes = commonScopes(scopes, token.scope);
    id = token.parentId;
  }
  return { ends, scopes, views, authUsers };
}

function listOf(view: string | null): readonly string[] {
  return view === null ? [] : [view];
}

/** Whether an auth user exists and is enabled. */
export async function isEnabled(
  records: Pick<Records, 'userStatus'>,
  tenantId: string,
  userId: string,
): Promise<boolean> {
  return (await records.userStatus(tenantId, userId))?.enabled === true;
}
