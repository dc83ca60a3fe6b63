// Saved searches, their schedules, runs, results and deliveries (records/saved-search-records.ts).
// The partial indexes hold only what is still to be done.
import type { Migration } from '../sql/migration.ts';

export const savedSearches: Migration = {
  name: '0011-saved-searches',
  up: (db, types) => [
    db.schema
      .createTable('saved_search')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('saved_search_key', ['tenant_id', 'id']),
    db.schema
      .createIndex('saved_search_owner')
      .on('saved_search')
      .columns(['tenant_id', 'owner_id', 'created', 'id']),
    db.schema
      .createTable('scheduled_search')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('saved_search_id', 'text', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('next_due', types.rowNumber)
      .addColumn('details', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('scheduled_search_key', ['tenant_id', 'id']),
    db.schema
      .createIndex('scheduled_search_saved')
      .on('scheduled_search')
      .columns(['tenant_id', 'saved_search_id']),
    db.schema
      .createIndex('scheduled_search_due')
      .on('scheduled_search')
      .column('next_due')
      .where('next_due' as never, 'is not', null),
    db.schema
      .createTable('search_run')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('saved_search_id', 'text', (column) => column.notNull())
      .addColumn('number', types.rowNumber, (column) => column.notNull())
      .addColumn('open_at', types.rowNumber)
      .addColumn('details', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('search_run_key', ['tenant_id', 'id']),
    db.schema
      .createIndex('search_run_saved')
      .on('search_run')
      .columns(['tenant_id', 'saved_search_id', 'number']),
    db.schema.createIndex('search_run_number').on('search_run').columns(['tenant_id', 'number']),
    db.schema
      .createIndex('search_run_open')
      .on('search_run')
      .columns(['open_at', 'tenant_id', 'number'])
      .where('open_at' as never, 'is not', null),
    db.schema
      .createTable('search_run_part')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('attempt', types.rowNumber, (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('part', types.rowNumber, (column) => column.notNull())
      .addColumn('bytes', types.bytes, (column) => column.notNull())
      .addPrimaryKeyConstraint('search_run_part_key', [
        'tenant_id',
        'run_id',
        'attempt',
        'type',
        'part',
      ]),
    db.schema
      .createTable('search_delivery')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('saved_search_id', 'text', (column) => column.notNull())
      .addColumn('created', 'text', (column) => column.notNull())
      .addColumn('open_at', types.rowNumber)
      .addColumn('details', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('search_delivery_key', ['tenant_id', 'id']),
    db.schema
      .createIndex('search_delivery_saved')
      .on('search_delivery')
      .columns(['tenant_id', 'saved_search_id', 'created']),
    db.schema
      .createIndex('search_delivery_run')
      .on('search_delivery')
      .columns(['tenant_id', 'run_id']),
    db.schema
      .createIndex('search_delivery_open')
      .on('search_delivery')
      .column('open_at')
      .where('open_at' as never, 'is not', null),
  ],
};
