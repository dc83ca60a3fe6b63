// Refresh tokens of API clients: one row for each family.
// Invariant: a secret is never stored, only its hash.

import type { RefreshToken, WritableRecords } from '../../service/ports/store.ts';
import { deleteByKey, insertOf, selectByKey } from '../sql/keyed-rows.ts';
import type { RefreshTokenTable } from '../sql/schema.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';

export type RefreshTokenRecords = Pick<
  WritableRecords,
  | 'refreshToken'
  | 'refreshTokensOf'
  | 'addRefreshToken'
  | 'updateRefreshToken'
  | 'deleteRefreshToken'
  | 'deleteRefreshTokensOf'
>;

export function refreshTokenRecords(executor: Executor): RefreshTokenRecords {
  return {
    async refreshToken(tenantId, id) {
      const row = await executor.get(REFRESH_TOKEN, { tenantId, id });
      return row === undefined ? null : refreshToken(row);
    },
    refreshTokensOf: async (tenantId, clientId) =>
      (await executor.all(REFRESH_TOKENS, { tenantId, clientId })).map(refreshToken),
    async addRefreshToken(tenantId, { id, clientId, secretHash, scope, created, expires }) {
      await executor.run(INSERT_REFRESH_TOKEN, {
        tenantId,
        id,
        clientId,
        secretHash,
        scope: scope === null ? null : JSON.stringify(scope),
        created,
        expires,
      });
    },
    async updateRefreshToken(tenantId, { id, secretHash, expires }) {
      await executor.run(UPDATE_REFRESH_TOKEN, { tenantId, id, secretHash, expires });
    },
    async deleteRefreshToken(tenantId, id) {
      await executor.run(DELETE_REFRESH_TOKEN, { tenantId, id });
    },
    async deleteRefreshTokensOf(tenantId, clientId) {
      await executor.run(DELETE_REFRESH_TOKENS, { tenantId, clientId });
    },
  };
}

function refreshToken(row: RefreshTokenTable): RefreshToken {
  const { id, client_id: clientId, secret_hash: secretHash, created, expires } = row;
  const scope = row.scope === null ? null : storedJson(row.scope, 'refresh token', id);
  return { id, clientId, secretHash, scope, created, expires };
}

const REFRESH_TOKEN = selectByKey('refresh_token');

const REFRESH_TOKENS = statement((p: { tenantId: string; clientId: string }) =>
  tables
    .selectFrom('refresh_token')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('client_id', '=', p.clientId)
    .orderBy('created')
    .orderBy('id'),
);

const INSERT_REFRESH_TOKEN = insertOf('refresh_token', [
  'id',
  'tenant_id',
  'client_id',
  'secret_hash',
  'scope',
  'created',
  'expires',
]);

const UPDATE_REFRESH_TOKEN = statement(
  (p: { tenantId: string; id: string; secretHash: string; expires: string }) =>
    tables
      .updateTable('refresh_token')
      .set({ secret_hash: p.secretHash, expires: p.expires })
      .where('tenant_id', '=', p.tenantId)
      .where('id', '=', p.id),
);

const DELETE_REFRESH_TOKEN = deleteByKey('refresh_token');

/** Deletes all refresh tokens of a client. */
export const DELETE_REFRESH_TOKENS = statement((p: { tenantId: string; clientId: string }) =>
  tables
    .deleteFrom('refresh_token')
    .where('tenant_id', '=', p.tenantId)
    .where('client_id', '=', p.clientId),
);
