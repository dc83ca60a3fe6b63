// The home months of events and account activities, for the indexes by month that OpenSearch had for
// a while, and the step that drops them again with those. SQLite writes the documents anew without
// the column.
import type { Migration } from '../sql/migration.ts';

export const months: Migration = {
  name: '0018-months',
  up: (db) => [db.schema.alterTable('document').addColumn('month', 'text')],
};

export const noMonths: Migration = {
  name: '0019-no-months',
  up: (db) => [db.schema.alterTable('document').dropColumn('month')],
};
