// The bounds of a credential: its expiry and its scopes. A credential created with the token of a
// personal access token also ends with that parent and keeps no scope that the parent loses, and so
// on for all ancestors, whatever its own record says: a parent may be deleted, shortened or
// narrowed later.
import { commonScopes } from '../../auth/access.ts';
import type { OAuthClient, PersonalAccessToken, Records } from '../ports/store.ts';

type Lookups = Pick<Records, 'tokenById' | 'userStatus'>;

/** The expiry of a credential, and its scopes until then. */
export interface CredentialBounds {
  /** Epoch milliseconds; Infinity for never, -Infinity for a credential that has ended. */
  readonly ends: number;
  readonly scopes: readonly string[];
}

/** The bounds of a credential that has ended or does not exist. */
export const ENDED: CredentialBounds = { ends: Number.NEGATIVE_INFINITY, scopes: [] };

/** Expiry in epoch milliseconds; Infinity for null. */
export function expiryMs(expires: string | null): number {
  return expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires);
}

/** The bounds of a personal access token; see `boundsOf`. */
export function boundsOfToken(
  records: Lookups,
  tenantId: string,
  { expirationDate, scope, parentId }: PersonalAccessToken,
): Promise<CredentialBounds> {
  const own = { ends: expiryMs(expirationDate), scopes: scope };
  return boundsOf(records, tenantId, own, parentId);
}

/** The bounds of an API client, `ENDED` for a disabled one; see `boundsOf`. */
export async function boundsOfClient(
  records: Lookups,
  tenantId: string,
  { enabled, scope, parentId }: OAuthClient,
): Promise<CredentialBounds> {
  if (!enabled) return ENDED;
  const own = { ends: Number.POSITIVE_INFINITY, scopes: scope };
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
  own: CredentialBounds,
  parentId: string | null,
): Promise<CredentialBounds> {
  let { ends, scopes } = own;
  for (let id = parentId; id !== null; ) {
    const parent = await records.tokenById(id);
    if (parent?.tenantId !== tenantId) return ENDED;
    const { token } = parent;
    if (!(await isEnabled(records, tenantId, token.ownerId))) return ENDED;
    ends = Math.min(ends, expiryMs(token.expirationDate));
    scopes = commonScopes(scopes, token.scope);
    id = token.parentId;
  }
  return { ends, scopes };
}

/** Whether an auth user exists and is enabled. */
export async function isEnabled(
  records: Pick<Records, 'userStatus'>,
  tenantId: string,
  userId: string,
): Promise<boolean> {
  return (await records.userStatus(tenantId, userId))?.enabled === true;
}
