// Records that are no documents get a checksum of each row: see store/sql/row-checksum.ts.
import { sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import { CHECKED_NAMES, CHECKSUM_STEP, checksumStatements } from '../sql/row-checksum.ts';
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
