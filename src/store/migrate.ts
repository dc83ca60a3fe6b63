// Brings the tables to the newest step when the store opens. All missing steps run in one exclusive
// transaction of the caller: if two processes start at once, one migrates and the other waits, then
// finds nothing to do.
// Invariant: a database written by a newer version is not changed.
import type { Kysely } from 'kysely';
import { ServiceError } from '../errors.ts';
import { initial } from './migrations/0001-initial.ts';
import { profiles, proofingStatus } from './migrations/0002-profiles.ts';
import { oauthClients } from './migrations/0003-oauth-clients.ts';
import { audit } from './migrations/0004-audit.ts';
import { tokensAndKeys } from './migrations/0005-tokens-and-keys.ts';
import { absentUsers, users } from './migrations/0006-users.ts';
import { auditOrigin } from './migrations/0007-audit-origin.ts';
import { compressedDocuments } from './migrations/0008-compressed-documents.ts';
import { retention } from './migrations/0009-retention.ts';
import { mirrors } from './migrations/0010-mirrors.ts';
import { savedSearches } from './migrations/0011-saved-searches.ts';
import { auditTargets } from './migrations/0012-audit-targets.ts';
import { dashboardLists, dashboards } from './migrations/0013-dashboards.ts';
import { dueDeliveries, sharedSearches } from './migrations/0015-searches.ts';
import { profileReferences } from './migrations/0016-profile-references.ts';
import { months, noMonths } from './migrations/0018-months.ts';
import { refreshScope, tokenExpiry } from './migrations/0021-tokens.ts';
import { views } from './migrations/0022-views.ts';
import { auditInserts } from './migrations/0024-audit-inserts.ts';
import { foldedText } from './migrations/0026-folded-text.ts';
import { lostRows, rowChecksums } from './migrations/0027-row-checksums.ts';
import { credentials } from './migrations/0029-credentials.ts';
import { storeWriters } from './migrations/0030-store-writers.ts';
import { fieldSince } from './migrations/0031-field-since.ts';
import { kindsOfFields } from './migrations/0032-kinds-of-fields.ts';
import type { ColumnTypes, Migration } from './sql/migration.ts';
import { type Dialect, type Executor, tables } from './sql/statement.ts';

/** All steps, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  profiles,
  oauthClients,
  audit,
  tokensAndKeys,
  users,
  auditOrigin,
  compressedDocuments,
  retention,
  mirrors,
  savedSearches,
  auditTargets,
  dashboards,
  dashboardLists,
  sharedSearches,
  profileReferences,
  dueDeliveries,
  months,
  noMonths,
  proofingStatus,
  refreshScope,
  views,
  absentUsers,
  auditInserts,
  tokenExpiry,
  foldedText,
  rowChecksums,
  lostRows,
  credentials,
  storeWriters,
  fieldSince,
  kindsOfFields,
];

const TYPES: Readonly<Record<Dialect, ColumnTypes>> = {
  sqlite: { bytes: 'blob', rowNumber: 'integer', real: 'real', clustered: 'without rowid' },
  postgres: { bytes: 'bytea', rowNumber: 'bigint', real: 'double precision', clustered: '' },
};

/** Returns the names of the steps of this version that are not among the applied ones. */
export function missingOf(applied: readonly string[]): readonly string[] {
  return MIGRATIONS.map(({ name }) => name).filter((name) => !applied.includes(name));
}

/**
 * Returns the steps with these names, oldest first.
 * @throws ServiceError `unavailable` if one is unknown to this version
 */
export function stepsOf(
  names: readonly string[],
  migrations: readonly Migration[] = MIGRATIONS,
): readonly Migration[] {
  const applied = new Set(names);
  const steps = migrations.filter(({ name }) => applied.delete(name));
  for (const name of applied) {
    throw new ServiceError(
      'unavailable',
      `The database was written by a newer version (step ${name}); start that version instead, or restore a backup.`,
    );
  }
  return steps;
}

/**
 * Runs the missing steps inside the caller's transaction.
 * @throws ServiceError `unavailable` if the database has a step unknown to this version
 */
export async function migrate(
  dialect: Dialect,
  executor: Executor,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await executor.query(
    tables.schema
      .createTable('schema_migration')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey().notNull()),
  );
  const rows = await executor.query(
    tables.selectFrom('schema_migration').select('name').orderBy('name'),
  );
  const applied = stepsOf(
    rows.map(({ name }) => name),
    migrations,
  );
  const missing = migrations.filter((migration) => !applied.includes(migration));
  for (const migration of missing) {
    const { name } = migration;
    try {
      for (const step of migration.up(tables as unknown as Kysely<never>, TYPES[dialect])) {
        await executor.query(step);
      }
      await migration.after?.(executor, dialect);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const reason = (error as Error).message;
      throw new ServiceError(
        'unavailable',
        `The tables do not fit the steps that schema_migration records (step ${name}: ${reason}): restore a backup.`,
      );
    }
    await executor.query(tables.insertInto('schema_migration').values({ name }));
  }
  for (const { afterAll } of missing) await afterAll?.(executor);
}
