// Adds the members of API clients that the first tables lacked, and makes refresh tokens chains:
// one row for each chain, whose secret changes with each use. No released version could issue a
// refresh token, so the old table is dropped with its rows.
import type { Kysely } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import type { Tree } from '../sql/statement.ts';

export const oauthClients: Migration = {
  name: '0003-oauth-clients',
  up: (db) => [...clientColumns(db), ...refreshTokenTable(db)],
};

const DETAILS = {
  ...{ description: '', businessName: '', homepageUrl: '' },
  ...{ accessType: 'OFFLINE', strongAuthSupported: false, claimsSupported: false },
};

/** One statement for each column: SQLite adds one at a time. */
function clientColumns(db: Kysely<never>): Tree<unknown>[] {
  const client = () => db.schema.alterTable('oauth_client');
  return [
    client().addColumn('refresh_token_validity_seconds', 'integer', (column) =>
      column.notNull().defaultTo(2_592_000),
    ),
    client().addColumn('modified', 'text', (column) => column.notNull().defaultTo('')),
    client().addColumn('last_used', 'text'),
    client().addColumn('details', 'text', (column) =>
      column.notNull().defaultTo(JSON.stringify(DETAILS)),
    ),
    (db as unknown as Kysely<{ oauth_client: { created: string; modified: string } }>)
      .updateTable('oauth_client')
      .set((row) => ({ modified: row.ref('created') })),
    db.schema.createIndex('oauth_client_tenant').on('oauth_client').column('tenant_id'),
  ];
}

function refreshTokenTable(db: Kysely<never>): Tree<unknown>[] {
  return [
    db.schema.dropTable('refresh_token'),
    db.schema
      .createTable('refresh_token')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('client_id', 'text', (column) => column.notNull())
      .addColumn('secret_hash', 'text', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('expires', 'text', (column) => column.notNull()),
    db.schema
      .createIndex('refresh_token_client')
      .on('refresh_token')
      .columns(['tenant_id', 'client_id']),
  ];
}
