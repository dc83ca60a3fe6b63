// The triggers that write the checksums of records (sql/row-checksum.ts) and refuse changes of recorded
// events (records/audit-protection.ts). A change without them would be answered as done, and the record
// would then differ from its checksum as damage does.
// Invariant: no transaction of the store writes while one of them is missing or was replaced.
import { restoreAppendOnly } from '../records/audit-protection.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { CHECKED_NAMES, checksumStatements } from '../sql/row-checksum.ts';
import { normalised } from '../sql/schema-comparison.ts';
import { openConnection, type SqliteConnection } from './sqlite-driver.ts';

const BUSY_MS = 10_000;

/**
 * Makes the triggers again that are missing or were replaced, inside the transaction of the caller.
 * @returns their names
 */
export async function restoreTriggers(connection: SqliteConnection): Promise<readonly string[]> {
  const checksums = restoreChecksumTriggers(connection);
  return [...checksums, ...(await restoreAppendOnly(new SqlExecutor('sqlite', connection)))];
}

function restoreChecksumTriggers(connection: SqliteConnection): readonly string[] {
  const schema = connection.all('select type, name, sql from sqlite_schema', []);
  const of = (type: string) => schema.filter((row) => row['type'] === type);
  const tables = new Set(of('table').map(({ name }) => name));
  const triggers = new Map(of('trigger').map(({ name, sql }) => [name, normalised(String(sql))]));
  const restored: string[] = [];
  // A table that is missing is named by what needs it, and by `doctor`.
  for (const table of CHECKED_NAMES.filter((name) => tables.has(name))) {
    for (const text of checksumStatements('sqlite', table)) {
      const name = /^create trigger (\w+)/.exec(text)?.[1];
      if (name === undefined || triggers.get(name) === normalised(text)) continue;
      connection.exec(`drop trigger if exists ${name}; ${text}`);
      restored.push(name);
    }
  }
  return restored;
}

/**
 * Makes the triggers again in a database file with the newest tables.
 * @throws ServiceError `unavailable` if the file cannot be written
 */
export async function restoreTriggersOf(path: string): Promise<readonly string[]> {
  const connection = await openConnection(path, BUSY_MS);
  try {
    connection.exec('begin immediate');
    const restored = await restoreTriggers(connection);
    connection.exec('commit');
    return restored;
  } catch (error) {
    connection.rollBack();
    throw error;
  } finally {
    connection.close();
  }
}
