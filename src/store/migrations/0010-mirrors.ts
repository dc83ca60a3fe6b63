// The state of mirrors of remote tenants (records/mirror-records.ts): the mirror, the progress of
// its parts, and the ids that it brought.
import { sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';

export const mirrors: Migration = {
  name: '0010-mirrors',
  up: (db, types) => [
    db.schema
      .createTable('mirror')
      .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull()),
    db.schema
      .createTable('mirror_part')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('part', 'text', (column) => column.notNull())
      .addColumn('progress', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('mirror_part_key', ['tenant_id', 'part']),
    db.schema
      .createTable('mirror_item')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('part', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('mirror_item_key', ['tenant_id', 'part', 'id'])
      .modifyEnd(sql.raw(types.clustered)),
  ],
};
