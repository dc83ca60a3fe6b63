// The home months of events and account activities, for the indexes by month that OpenSearch had for
// a while; 0019-no-months drops them.
import type { Migration } from '../migration.ts';

export const months: Migration = {
  name: '0018-months',
  up: (db) => [db.schema.alterTable('document').addColumn('month', 'text')],
};
