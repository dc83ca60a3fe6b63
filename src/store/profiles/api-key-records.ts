// API keys of profile management in their table.

import type { ApiKey, WritableApiKeys } from '../../service/ports/api-key-records.ts';
import { deleteByKey } from '../sql/keyed-rows.ts';
import type { ApiKeyTable } from '../sql/schema.ts';
import { type Executor, statement, tables } from '../sql/statement.ts';

export function apiKeyRecords(executor: Executor): WritableApiKeys {
  return {
    async apiKeyByHash(hash) {
      const row = await executor.get(API_KEY_BY_HASH, { hash });
      return row === undefined ? null : { tenantId: row.tenant_id, key: apiKey(row) };
    },
    apiKeys: async (tenantId) => (await executor.all(API_KEYS, { tenantId })).map(apiKey),
    apiKeysCreatedBy: async (tenantId, parentId) =>
      (await executor.all(API_KEYS_CREATED_BY, { tenantId, parentId })).map(apiKey),
    async addApiKey(tenantId, { id, name, hash, created, scope, expires, ...key }) {
      const { ownerId, lastUsed, parentId } = key;
      await executor.run(INSERT_API_KEY, {
        tenantId,
        id,
        name,
        hash,
        created,
        scope,
        expires,
        ownerId,
        lastUsed,
        parentId,
      });
    },
    async noteApiKeyUse(tenantId, id, lastUsed) {
      await executor.run(NOTE_API_KEY_USE, { tenantId, id, lastUsed });
    },
    deleteApiKey: async (tenantId, id) =>
      (await executor.run(DELETE_API_KEY, { tenantId, id })) > 0,
  };
}

function apiKey({ owner_id, last_used, parent_id, tenant_id: _, ...row }: ApiKeyTable): ApiKey {
  return { ...row, ownerId: owner_id, lastUsed: last_used, parentId: parent_id };
}

type Owned = { tenantId: string; id: string };

const API_KEY_BY_HASH = statement((p: { hash: string }) =>
  tables.selectFrom('api_key').selectAll().where('hash', '=', p.hash),
);

const API_KEYS = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('api_key')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .orderBy('created')
    .orderBy('id'),
);

const API_KEYS_CREATED_BY = statement((p: { tenantId: string; parentId: string }) =>
  tables
    .selectFrom('api_key')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('parent_id', '=', p.parentId)
    .orderBy('created')
    .orderBy('id'),
);

type ApiKeyParameters = Owned & {
  name: string;
  hash: string;
  created: string;
  scope: 'read' | 'manage';
  expires: string | null;
  ownerId: string | null;
  lastUsed: string | null;
  parentId: string | null;
};

const INSERT_API_KEY = statement((p: ApiKeyParameters) =>
  tables.insertInto('api_key').values({
    hash: p.hash,
    tenant_id: p.tenantId,
    id: p.id,
    name: p.name,
    created: p.created,
    scope: p.scope,
    expires: p.expires,
    owner_id: p.ownerId,
    last_used: p.lastUsed,
    parent_id: p.parentId,
  }),
);

const NOTE_API_KEY_USE = statement((p: Owned & { lastUsed: string }) =>
  tables
    .updateTable('api_key')
    .set({ last_used: p.lastUsed })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const DELETE_API_KEY = deleteByKey('api_key');
