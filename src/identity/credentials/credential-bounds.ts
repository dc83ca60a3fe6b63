// What bounds a credential: when it ends, and which scopes it has. A credential that was created with a token of a personal
// access token ends with that one, and has no scope that it has lost, and so on up the line, whatever its own record says:
// a parent may be deleted, cut short or narrowed later.
import { commonScopes } from '../../auth/access.ts';
import type { OAuthClient, PersonalAccessToken, Records } from '../ports/store.ts';

type Lookups = Pick<Records, 'tokenById' | 'userStanding'>;

/** When a credential ends, and its scopes until then. */
export interface CredentialBounds {
  /** Epoch milliseconds; Infinity: never, -Infinity: it has ended. */
  readonly ends: number;
  readonly scopes: readonly string[];
}

/** The bounds of a credential that has ended, or is not there. */
export const ENDED: CredentialBounds = { ends: Number.NEGATIVE_INFINITY, scopes: [] };

/** Epoch milliseconds of an expiry; Infinity for null, which is never. */
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
 * The bounds that a credential's own record and its parents set together.
 * @param own the bounds in the record of the credential
 * @param parentId the personal access token that created it; null: none
 * @returns `ENDED` where a parent or its owner is gone, or the owner is disabled
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

/** True for an auth user who is there and not disabled. */
export async function isEnabled(
  records: Pick<Records, 'userStanding'>,
  tenantId: string,
  userId: string,
): Promise<boolean> {
  return (await records.userStanding(tenantId, userId))?.enabled === true;
}
