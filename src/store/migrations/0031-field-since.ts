// When each dynamic field was first seen: epoch milliseconds, null for fields from before.
import type { Migration } from '../sql/migration.ts';

export const fieldSince: Migration = {
  name: '0031-field-since',
  up: (db, types) => [db.schema.alterTable('dynamic_field').addColumn('since', types.rowNumber)],
};
