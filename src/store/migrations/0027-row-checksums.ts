// Records that are no documents get a checksum of each row: see store/sql/row-checksum.ts. A second step
// has what tells that rows were lost: dynamic fields get one, too, and a profile the number of its values.
import { sql } from 'kysely';
import type { Migration } from '../sql/migration.ts';
import {
  CHECKED_TABLES,
  CHECKSUM_STEP,
  type CheckedTable,
  checksumStatements,
  LOST_ROWS_STEP,
} from '../sql/row-checksum.ts';
import { rawStatement } from '../sql/statement.ts';

function former(key: string, columns: string): CheckedTable {
  return { kind: 'credential', key: [key], columns: [key, ...columns.split(' ')] };
}

/** Tables that 0029-credentials made one. */
export const FORMER_TABLES = {
  personal_access_token: former(
    'id',
    'tenant_id owner_id name secret_hash scope access_token_validity_seconds expiration_date user_aware_token_never_expires managed created parent_id view_name',
  ),
  oauth_client: former(
    'id',
    'tenant_id name secret_hash grant_types scope redirect_uris access_token_validity_seconds enabled created refresh_token_validity_seconds modified details parent_id view_name',
  ),
  api_key: former('hash', 'tenant_id id name created parent_id scope expires owner_id'),
} as const;

/** Dynamic fields got theirs with the next step. */
const { credential: _, dynamic_field: __, ...UNCHANGED_TABLES } = CHECKED_TABLES;
const TABLES = Object.entries<CheckedTable>({ ...UNCHANGED_TABLES, ...FORMER_TABLES });

export const rowChecksums: Migration = {
  name: CHECKSUM_STEP,
  up: (db) => TABLES.map(([table]) => db.schema.alterTable(table).addColumn('checksum', 'text')),
  after: async (executor, dialect) => {
    for (const [table, checkedTable] of TABLES) {
      for (const text of checksumStatements(dialect, table, checkedTable)) {
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
