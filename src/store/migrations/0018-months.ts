// The home months of events and account activities, for indexes by month in OpenSearch. A document
// written before has none until it is written again.
import type { Migration } from './migration.ts';

export const months: Migration = {
  name: '0018-months',
  up: (db) => [db.schema.alterTable('document').addColumn('month', 'text')],
};
