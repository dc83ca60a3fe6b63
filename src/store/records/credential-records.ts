// Credentials of callers and keys of the service: personal access tokens and signing keys; API
// clients and their refresh tokens are in client-records.ts. Ids are unique over all tenants,
// because they are looked up before the tenant is known.
// Invariant: a caller's secret is never stored, only its hash.

import type {
  PersonalAccessToken,
  SigningKey,
  WritableRecords,
} from '../../service/ports/store.ts';
import { deleteByKey } from '../sql/keyed-rows.ts';
import type { PersonalAccessTokenTable } from '../sql/schema.ts';
import { type Executor, hasNul, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';

export type CredentialRecords = Pick<
  WritableRecords,
  | 'tokenById'
  | 'tokensOf'
  | 'tokensCreatedBy'
  | 'addToken'
  | 'updateToken'
  | 'deleteToken'
  | 'expiredTokens'
  | 'signingKeys'
  | 'addSigningKey'
  | 'retireSigningKeys'
  | 'deleteSigningKey'
>;

export function credentialRecords(executor: Executor): CredentialRecords {
  return {
    async tokenById(id) {
      // A client id from a request is any text; one with a NUL is unknown.
      if (hasNul(id)) return null;
      const row = await executor.get(TOKEN_BY_ID, { id });
      return row === undefined ? null : { tenantId: row.tenant_id, token: token(row) };
    },
    async tokensOf(tenantId, ownerId) {
      const rows =
        ownerId === null
          ? await executor.all(TOKENS_OF_TENANT, { tenantId })
          : await executor.all(TOKENS_OF_OWNER, { tenantId, ownerId });
      return rows.map(token);
    },
    tokensCreatedBy: async (tenantId, parentId) =>
      (await executor.all(TOKENS_CREATED_BY, { tenantId, parentId })).map(token),
    async addToken(tenantId, value) {
      await executor.run(INSERT_TOKEN, { tenantId, ...tokenParameters(value) });
    },
    async updateToken(tenantId, value) {
      await executor.run(UPDATE_TOKEN, { tenantId, ...tokenParameters(value) });
    },
    expiredTokens: async (instant, limit) =>
      (await executor.all(EXPIRED_TOKENS, { instant: new Date(instant).toISOString(), limit })).map(
        (row) => ({ tenantId: row.tenant_id, token: token(row) }),
      ),
    deleteToken: async (tenantId, id) => (await executor.run(DELETE_TOKEN, { tenantId, id })) > 0,

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

function token(row: PersonalAccessTokenTable): PersonalAccessToken {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    secretHash: row.secret_hash,
    scope: storedJson(row.scope, 'personal access token', row.id),
    accessTokenValiditySeconds: row.access_token_validity_seconds,
    expirationDate: row.expiration_date,
    userAwareTokenNeverExpires: row.user_aware_token_never_expires === 1,
    managed: row.managed === 1,
    created: row.created,
    lastUsed: row.last_used,
    parentId: row.parent_id,
    view: row.view_name,
  };
}

function tokenParameters(value: PersonalAccessToken): TokenParameters {
  return {
    id: value.id,
    ownerId: value.ownerId,
    name: value.name,
    secretHash: value.secretHash,
    scope: JSON.stringify(value.scope),
    validity: value.accessTokenValiditySeconds,
    expirationDate: value.expirationDate,
    neverExpires: Number(value.userAwareTokenNeverExpires),
    managed: Number(value.managed),
    created: value.created,
    lastUsed: value.lastUsed,
    parentId: value.parentId,
    view: value.view,
  };
}

type TokenParameters = {
  id: string;
  ownerId: string;
  name: string;
  secretHash: string;
  scope: string;
  validity: number;
  expirationDate: string | null;
  neverExpires: number;
  managed: number;
  created: string;
  lastUsed: string | null;
  parentId: string | null;
  view: string | null;
};

const TOKEN_BY_ID = statement((p: { id: string }) =>
  tables.selectFrom('personal_access_token').selectAll().where('id', '=', p.id),
);

const tokensOf = (tenantId: string) =>
  tables
    .selectFrom('personal_access_token')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created')
    .orderBy('id');

const TOKENS_OF_TENANT = statement((p: { tenantId: string }) => tokensOf(p.tenantId));

const TOKENS_OF_OWNER = statement((p: { tenantId: string; ownerId: string }) =>
  tokensOf(p.tenantId).where('owner_id', '=', p.ownerId),
);

const TOKENS_CREATED_BY = statement((p: { tenantId: string; parentId: string }) =>
  tokensOf(p.tenantId).where('parent_id', '=', p.parentId),
);

const EXPIRED_TOKENS = statement((p: { instant: string; limit: number }) =>
  tables
    .selectFrom('personal_access_token')
    .selectAll()
    .where('expiration_date', '<=', p.instant)
    .where('expiration_date', 'is not', null)
    .orderBy('expiration_date')
    .limit(p.limit),
);

/** The columns that an update may change. */
const tokenColumns = (p: TokenParameters) => ({
  owner_id: p.ownerId,
  name: p.name,
  secret_hash: p.secretHash,
  scope: p.scope,
  access_token_validity_seconds: p.validity,
  expiration_date: p.expirationDate,
  user_aware_token_never_expires: p.neverExpires,
  managed: p.managed,
  created: p.created,
  last_used: p.lastUsed,
});

const INSERT_TOKEN = statement((p: TokenParameters & { tenantId: string }) =>
  tables.insertInto('personal_access_token').values({
    id: p.id,
    tenant_id: p.tenantId,
    parent_id: p.parentId,
    view_name: p.view,
    ...tokenColumns(p),
  }),
);

const UPDATE_TOKEN = statement((p: TokenParameters & { tenantId: string }) =>
  tables
    .updateTable('personal_access_token')
    .set(tokenColumns(p))
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const DELETE_TOKEN = deleteByKey('personal_access_token');

const SIGNING_KEYS = statement(() =>
  tables.selectFrom('signing_key').selectAll().orderBy('created').orderBy('kid'),
);

const INSERT_SIGNING_KEY = statement(
  (p: { kid: string; jwk: string; created: string; active: number }) =>
    tables
      .insertInto('signing_key')
      .values({ kid: p.kid, jwk: p.jwk, created: p.created, active: p.active }),
);

const RETIRE_SIGNING_KEYS = statement(() =>
  tables.updateTable('signing_key').set({ active: 0 }).where('active', '=', 1),
);

const DELETE_SIGNING_KEY = statement((p: { kid: string }) =>
  tables.deleteFrom('signing_key').where('kid', '=', p.kid),
);
