// API clients and their refresh tokens. The id of a client is unique over all tenants, because it
// is looked up before the tenant is known.
// Invariant: a secret is never stored, only its hash.

import type { OAuthClient, RefreshToken, WritableRecords } from '../../service/ports/store.ts';
import { deleteByKey, selectByKey } from '../sql/keyed-rows.ts';
import type { OAuthClientTable, RefreshTokenTable } from '../sql/schema.ts';
import { type Executor, hasNul, statement, tables } from '../sql/statement.ts';
import { storedJson } from '../sql/stored-json.ts';

export type ClientRecords = Pick<
  WritableRecords,
  | 'clientById'
  | 'clientsOf'
  | 'clientsCreatedBy'
  | 'addClient'
  | 'updateClient'
  | 'deleteClient'
  | 'refreshToken'
  | 'refreshTokensOf'
  | 'addRefreshToken'
  | 'updateRefreshToken'
  | 'deleteRefreshToken'
  | 'deleteRefreshTokensOf'
>;

export function clientRecords(executor: Executor): ClientRecords {
  return {
    async clientById(id) {
      // A client id from a request is any text; no stored id has a NUL, and PostgreSQL rejects it.
      if (hasNul(id)) return null;
      const row = await executor.get(CLIENT_BY_ID, { id });
      return row === undefined ? null : { tenantId: row.tenant_id, client: client(row) };
    },
    clientsOf: async (tenantId) =>
      (await executor.all(CLIENTS_OF_TENANT, { tenantId })).map(client),
    clientsCreatedBy: async (tenantId, parentId) =>
      (await executor.all(CLIENTS_CREATED_BY, { tenantId, parentId })).map(client),
    async addClient(tenantId, value) {
      await executor.run(INSERT_CLIENT, { tenantId, ...clientParameters(value) });
    },
    async updateClient(tenantId, value) {
      await executor.run(UPDATE_CLIENT, { tenantId, ...clientParameters(value) });
    },
    async deleteClient(tenantId, id) {
      await executor.run(DELETE_REFRESH_TOKENS, { tenantId, clientId: id });
      return (await executor.run(DELETE_CLIENT, { tenantId, id })) > 0;
    },

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

/** The members without a column of their own. */
type Details = Pick<
  OAuthClient,
  | 'description'
  | 'businessName'
  | 'homepageUrl'
  | 'accessType'
  | 'strongAuthSupported'
  | 'claimsSupported'
  | 'tokensValidFrom'
>;

function client(row: OAuthClientTable): OAuthClient {
  // Details that were written by earlier versions lack it.
  const details: Details = { tokensValidFrom: 0, ...storedJson(row.details, 'API client', row.id) };
  return {
    ...details,
    id: row.id,
    name: row.name,
    secretHash: row.secret_hash,
    grantTypes: storedJson(row.grant_types, 'API client', row.id),
    scope: storedJson(row.scope, 'API client', row.id),
    accessTokenValiditySeconds: row.access_token_validity_seconds,
    refreshTokenValiditySeconds: row.refresh_token_validity_seconds,
    redirectUris: storedJson(row.redirect_uris, 'API client', row.id),
    enabled: row.enabled === 1,
    created: row.created,
    modified: row.modified,
    lastUsed: row.last_used,
    parentId: row.parent_id,
    view: row.view_name,
  };
}

function clientParameters(value: OAuthClient): ClientParameters {
  const { description, businessName, homepageUrl } = value;
  const { accessType, strongAuthSupported, claimsSupported, tokensValidFrom } = value;
  const details: Details = {
    description,
    businessName,
    homepageUrl,
    accessType,
    strongAuthSupported,
    claimsSupported,
    tokensValidFrom,
  };
  return {
    id: value.id,
    name: value.name,
    secretHash: value.secretHash,
    grantTypes: JSON.stringify(value.grantTypes),
    scope: JSON.stringify(value.scope),
    redirectUris: JSON.stringify(value.redirectUris),
    accessSeconds: value.accessTokenValiditySeconds,
    refreshSeconds: value.refreshTokenValiditySeconds,
    enabled: Number(value.enabled),
    created: value.created,
    modified: value.modified,
    lastUsed: value.lastUsed,
    details: JSON.stringify(details),
    parentId: value.parentId,
    view: value.view,
  };
}

function refreshToken(row: RefreshTokenTable): RefreshToken {
  const { id, client_id: clientId, secret_hash: secretHash, created, expires } = row;
  const scope = row.scope === null ? null : storedJson(row.scope, 'refresh token', id);
  return { id, clientId, secretHash, scope, created, expires };
}

type ClientParameters = {
  id: string;
  name: string;
  secretHash: string;
  grantTypes: string;
  scope: string;
  redirectUris: string;
  accessSeconds: number;
  refreshSeconds: number;
  enabled: number;
  created: string;
  modified: string;
  lastUsed: string | null;
  details: string;
  parentId: string | null;
  view: string | null;
};

const CLIENT_BY_ID = statement((p: { id: string }) =>
  tables.selectFrom('oauth_client').selectAll().where('id', '=', p.id),
);

const clientsOf = (tenantId: string) =>
  tables
    .selectFrom('oauth_client')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created')
    .orderBy('id');

const CLIENTS_OF_TENANT = statement((p: { tenantId: string }) => clientsOf(p.tenantId));

const CLIENTS_CREATED_BY = statement((p: { tenantId: string; parentId: string }) =>
  clientsOf(p.tenantId).where('parent_id', '=', p.parentId),
);

/** The columns that an update may change. */
const clientColumns = (p: ClientParameters) => ({
  name: p.name,
  secret_hash: p.secretHash,
  grant_types: p.grantTypes,
  scope: p.scope,
  redirect_uris: p.redirectUris,
  access_token_validity_seconds: p.accessSeconds,
  refresh_token_validity_seconds: p.refreshSeconds,
  enabled: p.enabled,
  created: p.created,
  modified: p.modified,
  last_used: p.lastUsed,
  details: p.details,
});

const INSERT_CLIENT = statement((p: ClientParameters & { tenantId: string }) =>
  tables.insertInto('oauth_client').values({
    id: p.id,
    tenant_id: p.tenantId,
    parent_id: p.parentId,
    view_name: p.view,
    ...clientColumns(p),
  }),
);

const UPDATE_CLIENT = statement((p: ClientParameters & { tenantId: string }) =>
  tables
    .updateTable('oauth_client')
    .set(clientColumns(p))
    .where('tenant_id', '=', p.tenantId)
    .where('id', '=', p.id),
);

const DELETE_CLIENT = deleteByKey('oauth_client');

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

const INSERT_REFRESH_TOKEN = statement(
  (p: {
    id: string;
    tenantId: string;
    clientId: string;
    secretHash: string;
    scope: string | null;
    created: string;
    expires: string;
  }) =>
    tables.insertInto('refresh_token').values({
      id: p.id,
      tenant_id: p.tenantId,
      client_id: p.clientId,
      secret_hash: p.secretHash,
      scope: p.scope,
      created: p.created,
      expires: p.expires,
    }),
);

const UPDATE_REFRESH_TOKEN = statement(
  (p: { tenantId: string; id: string; secretHash: string; expires: string }) =>
    tables
      .updateTable('refresh_token')
      .set({ secret_hash: p.secretHash, expires: p.expires })
      .where('tenant_id', '=', p.tenantId)
      .where('id', '=', p.id),
);

const DELETE_REFRESH_TOKEN = deleteByKey('refresh_token');

const DELETE_REFRESH_TOKENS = statement((p: { tenantId: string; clientId: string }) =>
  tables
    .deleteFrom('refresh_token')
    .where('tenant_id', '=', p.tenantId)
    .where('client_id', '=', p.clientId),
);
