// Auth users that can be disabled and signed out, and access tokens that are revoked before they
// expire.
import type { Kysely } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import type { Tree } from '../sql/statement.ts';

export const users: Migration = {
  name: '0006-users',
  up: (db, types) => [
    ...standingColumns(db),
    db.schema
      .createTable('revoked_token')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('expires', types.rowNumber, (column) => column.notNull())
      .addPrimaryKeyConstraint('revoked_token_key', ['tenant_id', 'id']),
    db.schema.createIndex('revoked_token_expires').on('revoked_token').column('expires'),
  ],
};

/** One statement for each column: SQLite adds one at a time. */
function standingColumns(db: Kysely<never>): Tree<unknown>[] {
  const user = () => db.schema.alterTable('auth_user');
  return [
    user().addColumn('enabled', 'integer', (column) => column.notNull().defaultTo(1)),
    user().addColumn('tokens_valid_from', 'integer', (column) => column.notNull().defaultTo(0)),
  ];
}

/**
 * The state of identities that are no auth users, for whom another issuer may sign tokens: those
 * who were deleted, and those who were disabled or signed out without ever being stored.
 */
export const absentUsers: Migration = {
  name: '0023-absent-users',
  up: (db) => [
    db.schema
      .createTable('absent_user')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('tokens_valid_from', 'integer', (column) => column.notNull())
      .addColumn('deleted', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('absent_user_key', ['tenant_id', 'id']),
  ],
};
