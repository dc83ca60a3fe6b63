// Saved searches that their owners share with the other users of the tenant; the existing ones are
// not shared.
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
