// The bounds of a credential: its expiry, its scopes, its views and the levels of its owner. A
// credential created with the token of a personal access token also ends with that parent, keeps no
// scope that the parent loses, may do nothing that its owner may not do and sees nothing that they do
// not see, and so on for all ancestors, whatever its own record says: a parent may be deleted,
// shortened or narrowed later, and its owner lose levels.
import { commonScopes } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import type {
  OAuthClient,
  PersonalAccessToken,
  Records,
  TokenState,
  UserStatus,
} from '../ports/store.ts';

type Lookups = Pick<Records, 'tokenById' | 'userStatus'>;

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
 * The bounds of a personal access token; see `boundsOf`.
 * @param ownerId its own user; null: without those of that user
 */
export function boundsOfToken(
  records: Lookups,
  tenantId: string,
  { expirationDate, scope, parentId, view }: PersonalAccessToken,
  ownerId: string | null,
): Promise<CredentialBounds> {
  const own = { ends: expiryMs(expirationDate), validFrom: 0, scopes: scope, views: listOf(view) };
  return boundsOf(records, tenantId, own, { parentId, ownerId });
}

/** The bounds of an API client, `ENDED` for a disabled one; see `boundsOf`. */
export async function boundsOfClient(
  records: Lookups,
  tenantId: string,
  { enabled, scope, parentId, view, tokensValidFrom: validFrom }: OAuthClient,
): Promise<CredentialBounds> {
  if (!enabled) return ENDED;
  const own = { ends: Number.POSITIVE_INFINITY, validFrom, scopes: scope, views: listOf(view) };
  return boundsOf(records, tenantId, own, { parentId, ownerId: null });
}

/** Those on whom a credential depends. */
export interface Ancestry {
  /** The personal access token that created it, or null. */
  readonly parentId: string | null;
  /** The auth user who owns it, or null. */
  readonly ownerId: string | null;
}

/**
 * Combines the bounds in a credential's own record with those of its owner and its ancestors.
 * @param own the bounds in the record of the credential
 * @returns `ENDED` when a parent or an owner no longer exists, or an owner is disabled
 */
export async function boundsOf(
  records: Lookups,
  tenantId: string,
  own: Omit<CredentialBounds, 'owners'>,
  { parentId, ownerId }: Ancestry,
): Promise<CredentialBounds> {
  let { ends, validFrom, scopes } = own;
  const views = [...own.views];
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
    const record = await records.tokenById(parent);
    if (record?.tenantId !== tenantId) return ENDED;
    const { token } = record;
    ends = Math.min(ends, expiryMs(token.expirationDate));
    scopes = commonScopes(scopes, token.scope);
    views.push(...listOf(token.view));
    owner = token.ownerId;
    parent = token.parentId;
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
