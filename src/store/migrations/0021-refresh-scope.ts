// The scopes to which a token request narrowed a chain of refresh tokens; null: those of the client.
import type { Migration } from '../sql/migration.ts';

export const refreshScope: Migration = {
  name: '0021-refresh-scope',
  up: (db) => [db.schema.alterTable('refresh_token').addColumn('scope', 'text')],
};
