// The bounds of a credential: its expiry, its scopes, its views and the levels of its owner. A
// credential created with the token of a personal access token also ends with that parent, keeps no
// scope that the parent loses, may do nothing that its owner may not do and sees nothing that they do
// not see, and so on for all ancestors, whatever its own record says: a parent may be deleted,
// shortened or narrowed later, and its owner lose levels.
import { commonScopes } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Records, TenantCredential, TokenState, UserStatus } from '../ports/store.ts';

type Lookups = Pick<Records, 'credentialById' | 'userStatus'>;

/** What a credential may do, and until when. */
export interface CredentialBounds {
  /** Epoch milliseconds; Infinity for never, -Infinity for a credential that has ended. */
  readonly ends: number;
  /** Epoch seconds: tokens issued earlier are rejected. */
  readonly validFrom: number;
  readonly scopes: readonly string[];
  /** Names of the views that restrict it, but for that of its own user. */
  readonly views: readonly string[];
  /** The levels of the owners of its ancestors, and of an API key; see `Caller.ownerCapabilities`. */
  readonly owners: Caller['ownerCapabilities'];
}

/** The bounds of a credential that has ended or does not exist. */
export const ENDED: CredentialBounds = {
  ...{ ends: Number.NEGATIVE_INFINITY, validFrom: Number.POSITIVE_INFINITY },
  ...{ scopes: [], views: [], owners: [] },
};

/**
 * The epoch second from which on tokens are accepted, so that all issued until now end: the next one,
 * since `iat` has whole seconds. Until then none is issued (`#usable` of credential-check.ts), so it
 * is the same however often this is called within a second. If the recorded one is later, as after a
 * clock was set back, tokens of that later second exist, and it advances beyond them.
 * @param now epoch milliseconds
 */
export function nextValidFrom(
  { tokensValidFrom }: Pick<TokenState, 'tokensValidFrom'>,
  { now }: { readonly now: number },
): number {
  const next = Math.floor(now / 1000) + 1;
  return tokensValidFrom > next ? tokensValidFrom + 1 : next;
}

/** Expiry in epoch milliseconds; Infinity for null. */
export function expiryMs(expires: string | null): number {
  return expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires);
}

/**
 * Combines the bounds in a credential's own record with those of its owner and its ancestors.
 * @param ownerId its own user; null: without those of that user
 * @returns `ENDED` when a parent or an owner no longer exists, or an owner or the client is disabled
 */
export async function boundsOf(
  records: Lookups,
  credential: TenantCredential,
  ownerId = credential.ownerId,
): Promise<CredentialBounds> {
  const { tenantId, scope, view, expires, parentId } = credential;
  const isClient = credential.kind === 'client';
  if (isClient && !credential.enabled) return ENDED;
  let validFrom = isClient ? credential.tokensValidFrom : 0;
  let ends = expiryMs(expires);
  let scopes = scope;
  const views = [...listOf(view)];
  const owners = new Map<string, UserStatus>();
  for (let owner = ownerId, parent = parentId; ; ) {
    if (owner !== null && !owners.has(owner)) {
      const status = await records.userStatus(tenantId, owner);
      if (status?.enabled !== true) return ENDED;
      owners.set(owner, status);
      validFrom = Math.max(validFrom, status.tokensValidFrom);
      views.push(...listOf(status.view));
    }
    if (parent === null) break;
    const creator = await records.credentialById(parent);
    if (creator?.tenantId !== tenantId) return ENDED;
    ends = Math.min(ends, expiryMs(creator.expires));
    scopes = commonScopes(scopes, creator.scope);
    views.push(...listOf(creator.view));
    owner = creator.ownerId;
    parent = creator.parentId;
  }
  const levels = [...owners.values()].map(({ capabilities }) => capabilities);
  return { ends, validFrom, scopes, views, owners: levels };
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
