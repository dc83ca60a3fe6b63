// Two steps for tokens: the scopes to which a token request narrowed a chain of refresh tokens (null:
// those of the client), and an index of personal access tokens by their expiry, for the job that
// deletes the expired ones.
import type { Migration } from '../sql/migration.ts';

export const refreshScope: Migration = {
  name: '0021-refresh-scope',
  up: (db) => [db.schema.alterTable('refresh_token').addColumn('scope', 'text')],
};

export const tokenExpiry: Migration = {
  name: '0025-token-expiry',
  up: (db) => [
    db.schema
      .createIndex('personal_access_token_expiry')
      .on('personal_access_token')
      .column('expiration_date')
      .where('expiration_date' as never, 'is not', null),
  ],
};
