// What tells that rows were lost: dynamic fields get a checksum of each row, and a profile the number
// of its values (profiles/profile-values.ts).
import { sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import { checksumStatements, LOST_ROWS_STEP } from '../sql/row-checksum.ts';
import { rawStatement } from '../sql/statement.ts';

export const lostRows: Migration = {
  name: LOST_ROWS_STEP,
  up: (db) => [
    db.schema.alterTable('dynamic_field').addColumn('checksum', 'text'),
    db.schema
      .alterTable('profile')
      .addColumn('items', 'integer', (column) => column.notNull().defaultTo(0)),
  ],
  after: async (executor, dialect) => {
    const statements = [
      ...checksumStatements(dialect, 'dynamic_field'),
      `update profile set items = (select count(*) from profile_value
        where profile_value.tenant_id = profile.tenant_id and profile_value.profile_id = profile.id)`,
    ];
    for (const text of statements) await executor.query(rawStatement(sql.raw(text)));
  },
};
