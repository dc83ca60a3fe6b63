// An index of personal access tokens by their expiry, for the job that deletes the expired ones.
import type { Migration } from '../sql/migration.ts';

export const tokenExpiry: Migration = {
  name: '0025-token-expiry',
  up: (db) => [
    db.schema
      .createIndex('personal_access_token_expiry')
      .on('personal_access_token')
      .column('expiration_date')
      .where('expiration_date' as never, 'is not', null),
  ],
};
