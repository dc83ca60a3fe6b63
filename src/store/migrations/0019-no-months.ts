// Drops the home months of 0018-months, with the indexes by month that they were for. SQLite writes
// the documents anew without the column.
import type { Migration } from '../migration.ts';

export const noMonths: Migration = {
  name: '0019-no-months',
  up: (db) => [db.schema.alterTable('document').dropColumn('month')],
};
