// Access tokens that end before their expiry: revoked token ids, and the state of the user of a
// token.
// Invariant: a row of `revoked_token` is only deleted once no token of that id can be valid, by the
// clock of any node (purge-records.ts).

import type { WritableRecords } from '../../service/ports/store.ts';
import { deleteByKey, upsert } from '../keyed-rows.ts';
import { type Executor, hasNul, statement, tables } from '../statement.ts';

export type RevocationRecords = Pick<
  WritableRecords,
  | 'userStatus'
  | 'isRevoked'
  | 'setUserEnabled'
  | 'setTokensValidFrom'
  | 'deleteAuthUser'
  | 'revokeToken'
>;

export function revocationRecords(executor: Executor): RevocationRecords {
  return {
    async userStatus(tenantId, id) {
      const row = await executor.get(STANDING, { tenantId, id });
      if (row === undefined) return null;
      return {
        capabilities: JSON.parse(row.capabilities),
        enabled: row.enabled === 1,
        tokensValidFrom: row.tokens_valid_from,
        view: row.view_name,
      };
    },
    async isRevoked(tenantId, tokenId, family) {
      // A token of another issuer may have any text as its id; no stored id has a NUL.
      if (hasNul(tokenId)) return false;
      const row = await executor.get(REVOKED, { tenantId, tokenId, family: family ?? tokenId });
      return row !== undefined;
    },
    async setUserEnabled(tenantId, id, enabled) {
      await executor.run(SET_ENABLED, { tenantId, id, enabled: Number(enabled) });
    },
    async setTokensValidFrom(tenantId, id, seconds) {
      await executor.run(SET_VALID_FROM, { tenantId, id, seconds });
    },
    async deleteAuthUser(tenantId, id) {
      await executor.run(DELETE_TOKENS, { tenantId, id });
      await executor.run(DELETE_HOLDERS, { tenantId, id });
      return (await executor.run(DELETE_USER, { tenantId, id })) > 0;
    },
    async revokeToken(tenantId, { id, expires }) {
      await executor.run(INSERT_REVOKED, { tenantId, id, expires });
    },
  };
}

type UserKey = { tenantId: string; id: string };

const STANDING = statement((p: UserKey) =>
  tables
    .selectFrom('auth_user')
    .select(['capabilities', 'enabled', 'tokens_valid_from', 'view_name'])
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const REVOKED = statement((p: { tenantId: string; tokenId: string; family: string }) =>
  tables
    .selectFrom('revoked_token')
    .select('id')
    .where('tenant_id', '=', p.tenantId)
    .where('id', 'in', [p.tokenId, p.family]),
);

const SET_ENABLED = statement((p: UserKey & { enabled: number }) =>
  tables
    .updateTable('auth_user')
    .set({ enabled: p.enabled })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const SET_VALID_FROM = statement((p: UserKey & { seconds: number }) =>
  tables
    .updateTable('auth_user')
    .set({ tokens_valid_from: p.seconds })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const DELETE_TOKENS = statement((p: UserKey) =>
  tables
    .deleteFrom('personal_access_token')
    .where('tenant_id', '=', p.tenantId)
    .where('owner_id', '=', p.id),
);

const DELETE_HOLDERS = statement((p: UserKey) =>
  tables
    .deleteFrom('capability_holder')
    .where('tenant_id', '=', p.tenantId)
    .where('auth_user_id', '=', p.id),
);

const DELETE_USER = deleteByKey('auth_user');

const INSERT_REVOKED = statement((p: { tenantId: string; id: string; expires: number }) =>
  upsert('revoked_token', ['tenant_id', 'id'], {
    tenant_id: p.tenantId,
    id: p.id,
    expires: p.expires,
  }),
);
