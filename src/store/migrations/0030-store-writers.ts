// The processes that wrote to the store, by the change after which each began. They tell the history of
// a store from that of a copy which went another way (records/audit-records.ts, `storeHistory`).
import type { Migration } from '../sql/migration.ts';

export const storeWriters: Migration = {
  name: '0030-store-writers',
  up: (db, types) => [
    db.schema
      .createTable('store_writer')
      .addColumn('sequence', types.rowNumber, (column) => column.primaryKey().notNull())
      .addColumn('id', 'text', (column) => column.notNull()),
  ],
};
