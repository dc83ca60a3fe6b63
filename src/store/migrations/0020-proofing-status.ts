// An index of the profiles with an ID proofing status, which is a filter of their list. Most have
// none, so it is partial.
import type { Migration } from '../sql/migration.ts';

export const proofingStatus: Migration = {
  name: '0020-proofing-status',
  up: (db) => [
    db.schema
      .createIndex('profile_by_proofing')
      .on('profile')
      .columns(['tenant_id', 'archived', 'id_proofing_status', 'created_at', 'id'])
      .where('id_proofing_status' as never, 'is not', null),
  ],
};
