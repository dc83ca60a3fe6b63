// An index of the deliveries that are still to be sent by tenant: tenants take turns, so each look
// for work reads the first ones of each.
import type { Migration } from '../sql/migration.ts';

export const dueDeliveries: Migration = {
  name: '0017-due-deliveries',
  up: (db) => [
    db.schema.dropIndex('search_delivery_open'),
    db.schema
      .createIndex('search_delivery_due')
      .on('search_delivery')
      .columns(['tenant_id', 'open_at'])
      .where('open_at' as never, 'is not', null),
  ],
};
