// Credentials of callers, and keys of the service: one row each. The id of a credential is unique
// over all tenants, because it is looked up before the tenant is known. What only one kind has is JSON.
// Invariant: a caller's secret is never stored, only its hash.

import type {
  Credential,
  CredentialKind,
  CredentialOf,
  WritableCredentialRecords,
} from '../../service/ports/credential-records.ts';
import type { SigningKey, WritableRecords } from '../../service/ports/store.ts';
import { deleteByKey, insertOf, type RowKey } from '../sql/keyed-rows.ts';
import type { CredentialTable } from '../sql/schema.ts';
import { type Executor, hasNul, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';
import { DELETE_REFRESH_TOKENS } from './refresh-token-records.ts';

export type CredentialAndKeyRecords = WritableCredentialRecords &
  Pick<WritableRecords, 'signingKeys' | 'addSigningKey' | 'retireSigningKeys' | 'deleteSigningKey'>;

export function credentialRecords(executor: Executor): CredentialAndKeyRecords {
  return {
    async credentialById(id) {
      // A client id from a request is any text; no stored id has a NUL, and PostgreSQL rejects it.
      if (hasNul(id)) return null;
      const row = await executor.get(BY_ID, { id });
      return row === undefined ? null : withTenant(row);
    },
    async apiKeyByHash(secretHash) {
      const row = await executor.get(KEY_BY_HASH, { secretHash });
      return row === undefined ? null : withTenant<'key'>(row);
    },
    async credentialsOf<K extends CredentialKind>(
      tenantId: string,
      kind: K,
      ownerId: string | null = null,
    ) {
      const rows =
        ownerId === null
          ? await executor.all(OF_TENANT, { tenantId, kind })
          : await executor.all(OF_OWNER, { tenantId, kind, ownerId });
      return rows.map(credential<K>);
    },
    credentialsCreatedBy: async (tenantId, parentId) =>
      (await executor.all(CREATED_BY, { tenantId, parentId })).map(credential),
    async expiredTokens(instant, limit) {
      const bounds = { instant: new Date(instant).toISOString(), limit };
      return (await executor.all(EXPIRED_TOKENS, bounds)).map(withTenant<'pat'>);
    },
    async addCredential(tenantId, value) {
      await executor.run(INSERT, { tenantId, ...parametersOf(value) });
    },
    async updateCredential(tenantId, value) {
      await executor.run(UPDATE, { tenantId, ...parametersOf(value) });
    },
    async noteCredentialUse(tenantId, id, lastUsed) {
      await executor.run(NOTE_USE, { tenantId, id, lastUsed });
    },
    async deleteCredential(tenantId, id) {
      if (hasNul(id)) return false;
      await executor.run(DELETE_REFRESH_TOKENS, { tenantId, clientId: id });
      return (await executor.run(DELETE, { tenantId, id })) > 0;
    },

    async signingKeys() {
      const rows = await executor.all(SIGNING_KEYS, {});
      return rows.map((row): SigningKey => {
        const { kid, created } = row;
        return {
          kid,
          created,
          jwk: storedJson(row.jwk, 'signing key', kid),
          active: row.active === 1,
        };
      });
    },
    async addSigningKey({ kid, jwk, created, active }) {
      await executor.run(INSERT_SIGNING_KEY, {
        kid,
        created,
        jwk: JSON.stringify(jwk),
        active: Number(active),
      });
    },
    async retireSigningKeys() {
      await executor.run(RETIRE_SIGNING_KEYS, {});
    },
    async deleteSigningKey(kid) {
      await executor.run(DELETE_SIGNING_KEY, { kid });
    },
  };
}

/** What the kinds are called where one is damaged. */
const NOUNS: Readonly<Record<CredentialKind, string>> = {
  ...{ pat: 'personal access token', client: 'API client', key: 'API key' },
};

function credential<K extends CredentialKind>(row: CredentialTable): CredentialOf<K> {
  const { id, kind, name, expires, created } = row;
  const json = (column: 'scope' | 'details') => storedJson(row[column], NOUNS[kind], id);
  return {
    ...{ id, kind, name, secretHash: row.secret_hash, scope: json('scope') },
    ...{ ownerId: row.owner_id, parentId: row.parent_id, view: row.view_name },
    ...{ expires, created, lastUsed: row.last_used },
    ...json('details'),
  };
}

function withTenant<K extends CredentialKind>(row: CredentialTable) {
  return { ...credential<K>(row), tenantId: row.tenant_id };
}

function parametersOf(value: Credential): CredentialParameters {
  const { id, kind, name, secretHash, scope, ownerId, parentId, view, ...rest } = value;
  const { expires, created, lastUsed, ...members } = rest;
  // Whoever changes a credential may have read it with its tenant, which is no member of it.
  const details = JSON.stringify({ ...members, tenantId: undefined });
  return {
    ...{ id, kind, name, secretHash, scope: JSON.stringify(scope), ownerId, parentId, view },
    ...{ expires, created, lastUsed, details },
  };
}

type CredentialParameters = {
  id: string;
  kind: CredentialKind;
  name: string;
  secretHash: string;
  scope: string;
  ownerId: string | null;
  parentId: string | null;
  view: string | null;
  expires: string | null;
  created: string;
  lastUsed: string | null;
  details: string;
};

const BY_ID = statement((p: { id: string }) =>
  tables.selectFrom('credential').selectAll().where('id', '=', p.id),
);

const KEY_BY_HASH = statement((p: { secretHash: string }) =>
  tables
    .selectFrom('credential')
    .selectAll()
    .where('secret_hash', '=', p.secretHash)
    .where('kind', '=', 'key'),
);

const ofTenant = (tenantId: string) =>
  tables
    .selectFrom('credential')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created')
    .orderBy('id');

type OfKind = { tenantId: string; kind: CredentialKind };

const OF_TENANT = statement((p: OfKind) => ofTenant(p.tenantId).where('kind', '=', p.kind));

const OF_OWNER = statement((p: OfKind & { ownerId: string }) =>
  ofTenant(p.tenantId).where('owner_id', '=', p.ownerId).where('kind', '=', p.kind),
);

const CREATED_BY = statement((p: { tenantId: string; parentId: string }) =>
  ofTenant(p.tenantId).where('parent_id', '=', p.parentId),
);

const EXPIRED_TOKENS = statement((p: { instant: string; limit: number }) =>
  tables
    .selectFrom('credential')
    .selectAll()
    .where('kind', '=', 'pat')
    .where('expires', '<=', p.instant)
    .where('expires', 'is not', null)
    .orderBy('expires')
    .limit(p.limit),
);

/** The columns that an update may change. */
const changeable = (p: CredentialParameters) => ({
  name: p.name,
  secret_hash: p.secretHash,
  scope: p.scope,
  owner_id: p.ownerId,
  expires: p.expires,
  created: p.created,
  last_used: p.lastUsed,
  details: p.details,
});

const INSERT = statement((p: CredentialParameters & { tenantId: string }) =>
  tables.insertInto('credential').values({
    id: p.id,
    tenant_id: p.tenantId,
    kind: p.kind,
    parent_id: p.parentId,
    view_name: p.view,
    ...changeable(p),
  }),
);

const UPDATE = statement((p: CredentialParameters & { tenantId: string }) =>
  tables
    .updateTable('credential')
    .set(changeable(p))
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const NOTE_USE = statement((p: RowKey & { lastUsed: string }) =>
  tables
    .updateTable('credential')
    .set({ last_used: p.lastUsed })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const DELETE = deleteByKey('credential');

const SIGNING_KEYS = statement(() =>
  tables.selectFrom('signing_key').selectAll().orderBy('created').orderBy('kid'),
);

const INSERT_SIGNING_KEY = insertOf('signing_key', ['kid', 'jwk', 'created', 'active']);

const RETIRE_SIGNING_KEYS = statement(() =>
  tables.updateTable('signing_key').set({ active: 0 }).where('active', '=', 1),
);

const DELETE_SIGNING_KEY = statement((p: { kid: string }) =>
  tables.deleteFrom('signing_key').where('kid', '=', p.kid),
);
