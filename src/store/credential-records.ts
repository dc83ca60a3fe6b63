// What callers prove themselves with, and what the service signs with: personal access tokens, API clients,
// refresh tokens, signing keys. Ids are unique over all tenants, because they are looked up before one is known.
// Invariant: a secret of a caller is never here, only its hash.
import type {
  OAuthClient,
  PersonalAccessToken,
  SigningKey,
  WritableRecords,
} from '../identity/store.ts';
import type { OAuthClientTable, PersonalAccessTokenTable } from './schema.ts';
import { type Executor, hasNul, statement, tables } from './statement.ts';

export type CredentialRecords = Pick<
  WritableRecords,
  | 'tokenById'
  | 'tokensOf'
  | 'addToken'
  | 'updateToken'
  | 'deleteToken'
  | 'clientById'
  | 'addClient'
  | 'refreshToken'
  | 'addRefreshToken'
  | 'spendRefreshToken'
  | 'signingKeys'
  | 'addSigningKey'
  | 'retireSigningKeys'
  | 'deleteSigningKey'
>;

export function credentialRecords(executor: Executor): CredentialRecords {
  return {
    async tokenById(id) {
      // Callers send what they like as a client id, and it is an unknown one.
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
    async addToken(tenantId, value) {
      await executor.run(INSERT_TOKEN, { tenantId, ...tokenParameters(value) });
    },
    async updateToken(tenantId, value) {
      await executor.run(UPDATE_TOKEN, { tenantId, ...tokenParameters(value) });
    },
    deleteToken: async (tenantId, id) => (await executor.run(DELETE_TOKEN, { tenantId, id })) > 0,

    async clientById(id) {
      if (hasNul(id)) return null;
      const row = await executor.get(CLIENT_BY_ID, { id });
      return row === undefined ? null : { tenantId: row.tenant_id, client: client(row) };
    },
    async addClient(tenantId, value) {
      await executor.run(INSERT_CLIENT, { tenantId, ...clientParameters(value) });
    },

    async refreshToken(hash) {
      const row = await executor.get(REFRESH_TOKEN, { hash });
      if (row === undefined) return null;
      return {
        tenantId: row.tenant_id,
        token: {
          hash: row.hash,
          clientId: row.client_id,
          identityId: row.identity_id,
          scope: JSON.parse(row.scope),
          expires: row.expires,
        },
      };
    },
    async addRefreshToken(tenantId, { hash, clientId, identityId, scope, expires }) {
      await executor.run(INSERT_REFRESH_TOKEN, {
        ...{ tenantId, hash, clientId, identityId, expires },
        scope: JSON.stringify(scope),
      });
    },
    spendRefreshToken: async (hash) => (await executor.run(DELETE_REFRESH_TOKEN, { hash })) > 0,

    async signingKeys() {
      const rows = await executor.all(SIGNING_KEYS, {});
      return rows.map((row): SigningKey => {
        const { kid, created } = row;
        return { kid, created, jwk: JSON.parse(row.jwk), active: row.active === 1 };
      });
    },
    async addSigningKey({ kid, jwk, created, active }) {
      await executor.run(INSERT_SIGNING_KEY, {
        ...{ kid, created },
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
    scope: JSON.parse(row.scope),
    accessTokenValiditySeconds: row.access_token_validity_seconds,
    expirationDate: row.expiration_date,
    userAwareTokenNeverExpires: row.user_aware_token_never_expires === 1,
    managed: row.managed === 1,
    created: row.created,
    lastUsed: row.last_used,
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
  };
}

function client(row: OAuthClientTable): OAuthClient {
  return {
    id: row.id,
    name: row.name,
    secretHash: row.secret_hash,
    grantTypes: JSON.parse(row.grant_types),
    scope: JSON.parse(row.scope),
    accessTokenValiditySeconds: row.access_token_validity_seconds,
    redirectUris: JSON.parse(row.redirect_uris),
    enabled: row.enabled === 1,
    created: row.created,
  };
}

function clientParameters(value: OAuthClient): ClientParameters {
  return {
    id: value.id,
    name: value.name,
    secretHash: value.secretHash,
    grantTypes: JSON.stringify(value.grantTypes),
    scope: JSON.stringify(value.scope),
    redirectUris: JSON.stringify(value.redirectUris),
    validity: value.accessTokenValiditySeconds,
    enabled: Number(value.enabled),
    created: value.created,
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
};

type ClientParameters = {
  id: string;
  name: string;
  secretHash: string;
  grantTypes: string;
  scope: string;
  redirectUris: string;
  validity: number;
  enabled: number;
  created: string;
};

const TOKEN_BY_ID = statement((p: { id: string }) =>
  tables.selectFrom('personal_access_token').selectAll().where('id', '=', p.id),
);

const TOKENS_OF_TENANT = statement((p: { tenantId: string }) =>
  tables
    .selectFrom('personal_access_token')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .orderBy('created')
    .orderBy('id'),
);

const TOKENS_OF_OWNER = statement((p: { tenantId: string; ownerId: string }) =>
  tables
    .selectFrom('personal_access_token')
    .selectAll()
    .where('tenant_id', '=', p.tenantId)
    .where('owner_id', '=', p.ownerId)
    .orderBy('created')
    .orderBy('id'),
);

const INSERT_TOKEN = statement((p: TokenParameters & { tenantId: string }) =>
  tables.insertInto('personal_access_token').values({
    id: p.id,
    tenant_id: p.tenantId,
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
  }),
);

const UPDATE_TOKEN = statement((p: TokenParameters & { tenantId: string }) =>
  tables
    .updateTable('personal_access_token')
    .set({
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
    })
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const DELETE_TOKEN = statement((p: { tenantId: string; id: string }) =>
  tables
    .deleteFrom('personal_access_token')
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const CLIENT_BY_ID = statement((p: { id: string }) =>
  tables.selectFrom('oauth_client').selectAll().where('id', '=', p.id),
);

const INSERT_CLIENT = statement((p: ClientParameters & { tenantId: string }) =>
  tables.insertInto('oauth_client').values({
    id: p.id,
    tenant_id: p.tenantId,
    name: p.name,
    secret_hash: p.secretHash,
    grant_types: p.grantTypes,
    scope: p.scope,
    redirect_uris: p.redirectUris,
    access_token_validity_seconds: p.validity,
    enabled: p.enabled,
    created: p.created,
  }),
);

const REFRESH_TOKEN = statement((p: { hash: string }) =>
  tables.selectFrom('refresh_token').selectAll().where('hash', '=', p.hash),
);

const INSERT_REFRESH_TOKEN = statement(
  (p: {
    hash: string;
    tenantId: string;
    clientId: string;
    identityId: string | null;
    scope: string;
    expires: string;
  }) =>
    tables.insertInto('refresh_token').values({
      hash: p.hash,
      tenant_id: p.tenantId,
      client_id: p.clientId,
      identity_id: p.identityId,
      scope: p.scope,
      expires: p.expires,
    }),
);

const DELETE_REFRESH_TOKEN = statement((p: { hash: string }) =>
  tables.deleteFrom('refresh_token').where('hash', '=', p.hash),
);

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
