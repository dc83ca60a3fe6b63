// The state of identities that are no auth users, for whom another issuer may sign tokens: those who
// were deleted, and those who were disabled or signed out without ever being stored.
import type { Migration } from '../sql/migration.ts';

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
