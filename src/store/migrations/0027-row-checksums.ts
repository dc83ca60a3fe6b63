// Records that are no documents get a checksum of each row: see store/row-checksum.ts.
import { sql } from 'kysely';
import type { Migration } from '../migration.ts';
import { CHECKED_NAMES, CHECKSUM_STEP, checksumStatements } from '../row-checksum.ts';
import { rawStatement } from '../statement.ts';

export const rowChecksums: Migration = {
<<<<<<< HEAD:src/store/migrations/0027-row-checksums.ts
  name: '0027-row-checksums',
=======
  name: CHECKSUM_STEP,
>>>>>>> damage:src/store/migrations/0025-row-checksums.ts
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
