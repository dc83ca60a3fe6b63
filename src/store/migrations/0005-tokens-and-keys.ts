// Credentials created with a token refer to it as their parent and end with it. API keys get a
// scope, an expiry, an owner and their last use; an existing key keeps full access.
import type { Kysely } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import type { Tree } from '../sql/statement.ts';

export const tokensAndKeys: Migration = {
  name: '0005-tokens-and-keys',
  up: (db) => [...parents(db), ...keyColumns(db)],
};

/** One statement for each column: SQLite adds one at a time. */
function parents(db: Kysely<never>): Tree<unknown>[] {
  const credentials = ['personal_access_token', 'oauth_client', 'api_key'] as const;
  return credentials.flatMap((table) => [
    db.schema.alterTable(table).addColumn('parent_id', 'text'),
    db.schema
      .createIndex(`${table}_parent`)
      .on(table)
      .columns(['tenant_id', 'parent_id'])
      .where('parent_id' as never, 'is not', null),
  ]);
}

function keyColumns(db: Kysely<never>): Tree<unknown>[] {
  const key = () => db.schema.alterTable('api_key');
  return [
    key().addColumn('scope', 'text', (column) => column.notNull().defaultTo('manage')),
    key().addColumn('expires', 'text'),
    key().addColumn('owner_id', 'text'),
    key().addColumn('last_used', 'text'),
  ];
}
