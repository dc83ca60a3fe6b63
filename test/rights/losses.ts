// The ways to lose a right, as an administrator takes it away over HTTP.
import assert from 'node:assert/strict';
import type { UserAction } from '../../src/service/accounts/auth-user-administration.ts';
import type { Holder, World } from './holder.ts';

/** Every action on a user but enabling, and what else takes rights away. */
export type Loss =
  | Exclude<UserAction, 'enable'>
  | 'revoke'
  | 'level'
  | 'scope'
  | 'view given'
  | 'view narrowed'
  | 'parent'
  | 'tenant'
  | 'issuer';

const SHOWS_NOTHING = { identities: 'id:nothing' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

/** Takes a right away. */
type Lose = (holder: Holder, world: World, revoke: () => Promise<void>) => Promise<void>;

export const LOSE: Readonly<Record<Loss, Lose>> = {
  disable: ({ tenant, personId }) =>
    done(tenant.call('PATCH', `/admin/v1/auth-users/${personId}`, { enabled: false })),
  delete: ({ tenant, personId }) => done(tenant.call('DELETE', `/admin/v1/auth-users/${personId}`)),
  'sign-out': ({ tenant, personId }) =>
    done(tenant.call('POST', `/admin/v1/auth-users/${personId}/sign-out`)),
  revoke: (_, __, revoke) => revoke(),
  level: ({ tenant, userId }) =>
    done(patch(tenant.call, `/v3/auth-users/${userId}`, '/capabilities', [])),
  /** Those of the parent, which bound what was made with it. */
  scope: ({ call, parent }) =>
    done(
      patch(call, `/v3/personal-access-tokens/${parent.clientId}`, '/scope', [
        'sp:saved-search:read',
      ]),
    ),
  'view given': async (holder) => {
    await restrict(holder, SHOWS_NOTHING);
  },
  'view narrowed': ({ tenant, userId }) =>
    done(tenant.call('PUT', `/admin/v1/views/of-${userId}`, { indices: SHOWS_NOTHING })),
  parent: ({ tenant, parent }) =>
    done(tenant.call('DELETE', `/v3/personal-access-tokens/${parent.clientId}`)),
  tenant: ({ tenant }, world) => world.removeTenant(tenant.tenantId),
  issuer: (_, world) => world.removeIssuer(),
};

/** Restricts a holder to a view of its own. */
export async function restrict(
  { tenant, userId }: Holder,
  indices: Readonly<Record<string, string>>,
): Promise<void> {
  const name = `of-${userId}`;
  await done(tenant.call('POST', '/admin/v1/views', { name, indices }));
  await done(tenant.call('PATCH', `/admin/v1/auth-users/${userId}`, { view: name }));
}

/** Revokes a token as an administrator of the tenant (RFC 7009). */
export function revokeToken({ tenant }: Holder, token: string): Promise<void> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ token }).toString();
  return done(tenant.call('POST', '/oauth/revoke', body, type));
}

function patch(call: Holder['call'], path: string, member: string, value: unknown) {
  return call('PATCH', path, [{ op: 'replace', path: member, value }], JSON_PATCH);
}

export async function done(answer: Promise<Response>): Promise<void> {
  const { ok, status, url } = await answer;
  assert.ok(ok, `${url}: ${status} ${await (await answer).text()}`);
}
