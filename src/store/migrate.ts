// Brings the tables to the newest step when the store opens. All missing steps run in one immediate transaction:
// of two processes that start at once, one migrates and the other waits, then finds nothing to do.
// Invariant: a database written by a newer version is left alone.
import type { Kysely } from 'kysely';
import { ServiceError } from '../errors.ts';
import { initial } from './migrations/0001-initial.ts';
import { profiles } from './migrations/0002-profiles.ts';
import type { ColumnTypes, Migration } from './migrations/migration.ts';
import type { SqliteConnection } from './sqlite-driver.ts';
import { tables } from './statement.ts';

/** All steps, oldest first. */
export const MIGRATIONS: readonly Migration[] = [initial, profiles];

const SQLITE_TYPES: ColumnTypes = { bytes: 'blob', rowNumber: 'integer', real: 'real' };

/**
 * Runs the missing steps, inside a transaction that the caller holds.
 * @throws ServiceError `unavailable` where the database has a step this version does not know
 */
export function migrate(
  connection: SqliteConnection,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  connection.exec('create table if not exists schema_migration (name text primary key not null)');
  const rows = connection.all('select name from schema_migration order by name', []);
  const applied = new Set(rows.map((row) => String(row['name'])));
  const known = new Set(migrations.map((migration) => migration.name));
  for (const name of applied) {
    if (!known.has(name)) {
      throw new ServiceError(
        'unavailable',
        `The database was written by a newer version (step ${name}); start that version instead.`,
      );
    }
  }
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    for (const step of migration.up(tables as unknown as Kysely<never>, SQLITE_TYPES)) {
      const { sql, parameters } = step.compile();
      connection.run(sql, parameters as readonly string[]);
    }
    connection.run('insert into schema_migration (name) values (?)', [migration.name]);
  }
}
