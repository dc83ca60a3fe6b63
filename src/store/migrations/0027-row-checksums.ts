// Records that are no documents get a checksum of each row: see store/sql/row-checksum.ts. A second step
// has what tells that rows were lost: dynamic fields get one, too, and a profile the number of its values.
import { sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import {
  CHECKED_NAMES,
  CHECKSUM_STEP,
  checksumStatements,
  LOST_ROWS_STEP,
} from '../sql/row-checksum.ts';
import { rawStatement } from '../sql/statement.ts';

/** Those of dynamic fields came with the next step. */
const TABLES = CHECKED_NAMES.filter((table) => table !== 'dynamic_field');

export const rowChecksums: Migration = {
  name: CHECKSUM_STEP,
  up: (db) => TABLES.map((table) => db.schema.alterTable(table).addColumn('checksum', 'text')),
  after: async (executor, dialect) => {
    for (const table of TABLES) {
      for (const text of checksumStatements(dialect, table)) {
        await executor.query(rawStatement(sql.raw(text)));
      }
    }
  },
};

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
