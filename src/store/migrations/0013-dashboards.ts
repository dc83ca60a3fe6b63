// Dashboards (records/dashboard-records.ts). The indexes are for the lists: of an owner, and of what
// the users of a tenant share.
import type { Migration } from '../migration.ts';

export const dashboards: Migration = {
  name: '0013-dashboards',
  up: (db) => [
    db.schema
      .createTable('dashboard')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('shared', 'integer', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('dashboard_key', ['tenant_id', 'id']),
    db.schema.createIndex('dashboard_owner').on('dashboard').columns(['tenant_id', 'owner_id']),
    db.schema.createIndex('dashboard_shared').on('dashboard').columns(['tenant_id', 'shared']),
  ],
};
