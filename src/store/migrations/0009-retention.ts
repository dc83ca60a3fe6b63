// The state of the purge of old rows (records/purge-records.ts), and an index of tombstones, which
// are few among the documents.
import type { Kysely } from 'kysely';
import type { Migration } from '../sql/migration.ts';

export const retention: Migration = {
  name: '0009-retention',
  up: (db, types) => [
    db.schema
      .createTable('purge_state')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('lease_until', types.rowNumber, (column) => column.notNull())
      .addColumn('marked_sequence', types.rowNumber, (column) => column.notNull())
      .addColumn('marked_at', types.rowNumber, (column) => column.notNull()),
    db.schema
      .createTable('event_purge')
      .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('purged_before', types.rowNumber, (column) => column.notNull()),
    db.schema
      .createIndex('document_tombstone')
      .on('document')
      .column('sequence')
      .where('hash' as never, 'is', null),
    (db as unknown as Kysely<{ sequence_counter: { name: string; value: number } }>)
      .insertInto('sequence_counter')
      .values({ name: 'purged', value: 0 }),
  ],
};
