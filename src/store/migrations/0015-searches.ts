// Two steps for saved searches: those that their owners share with the other users of the tenant (the
// existing ones are not shared), and an index of the deliveries that are still to be sent by tenant:
// tenants take turns, so each look for work reads the first ones of each.
import type { Migration } from '../sql/migration.ts';

export const sharedSearches: Migration = {
  name: '0015-shared-searches',
  up: (db) => [
    db.schema
      .alterTable('saved_search')
      .addColumn('shared', 'integer', (column) => column.notNull().defaultTo(0)),
    db.schema
      .createIndex('saved_search_shared')
      .on('saved_search')
      .columns(['tenant_id', 'shared']),
  ],
};

export const dueDeliveries: Migration = {
  name: '0017-due-deliveries',
  up: (db) => [
    db.schema.dropIndex('search_delivery_open'),
    db.schema
      .createIndex('search_delivery_due')
      .on('search_delivery')
      .columns(['tenant_id', 'open_at'])
      .where('open_at' as never, 'is not', null),
  ],
};
