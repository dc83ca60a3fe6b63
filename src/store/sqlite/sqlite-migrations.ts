// Reads which migrations an SQLite store has, without opening it as a store, which runs the others.
import { openConnection, type SqliteConnection } from './sqlite-driver.ts';

const BUSY_MS = 10_000;

/**
 * Returns the names of the migrations that were applied to the database file.
 * @throws ServiceError `unavailable` if the file cannot be read
 */
export async function sqliteMigrations(path: string): Promise<readonly string[]> {
  const connection = await openConnection(path, BUSY_MS);
  try {
    connection.exec('pragma query_only = on');
    return appliedSteps(connection);
  } finally {
    connection.close();
  }
}

/** As sqliteMigrations, over an open connection. */
export function appliedSteps(connection: SqliteConnection): readonly string[] {
  const table = connection.get(
    "select name from sqlite_schema where name = 'schema_migration'",
    [],
  );
  if (table === undefined) return [];
  return connection.all('select name from schema_migration', []).map(({ name }) => String(name));
}
