// Views, and the credentials and auth users that are restricted to one (service/views/).
import type { Migration } from '../sql/migration.ts';

export const views: Migration = {
  name: '0022-views',
  up: (db) => [
    db.schema
      .createTable('document_view')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('modified', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('document_view_key', ['tenant_id', 'id']),
    db.schema.alterTable('auth_user').addColumn('view_name', 'text'),
    db.schema.alterTable('personal_access_token').addColumn('view_name', 'text'),
    db.schema.alterTable('oauth_client').addColumn('view_name', 'text'),
  ],
};
