// Records that are no documents get a checksum of each row: see store/sql/row-checksum.ts.
import { sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import { CHECKED_NAMES, CHECKSUM_STEP, checksumStatements } from '../sql/row-checksum.ts';
import { rawStatement } from '../sql/statement.ts';

export const rowChecksums: Migration = {
  name: CHECKSUM_STEP,
  up: (db) =>
    CHECKED_NAMES.map((table) => db.schema.alterTable(table).addColumn('checksum', 'text')),
  after: async (executor, dialect) => {
    for (const table of CHECKED_NAMES) {
      for (const text of checksumStatements(dialect, table)) {
        await executor.query(rawStatement(sql.raw(text)));
      }
    }
  },
};
