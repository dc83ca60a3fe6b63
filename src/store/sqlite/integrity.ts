// The integrity of the database file: SQLite's own check of every page and table.
import { openConnection } from './sqlite-driver.ts';

const BUSY_MS = 10_000;
const FAULTS_MAX = 20;

/**
 * Returns the faults of the database file, one sentence each; empty if there are none. Reads the
 * whole file.
 * @throws ServiceError `unavailable` if the file cannot be opened, or is too damaged to be read to
 * its end
 */
export async function storeFaults(path: string): Promise<readonly string[]> {
  const connection = await openConnection(path, BUSY_MS);
  try {
    const rows = connection.all(`pragma quick_check(${FAULTS_MAX})`, []);
    const lines = rows.map((row) => String(Object.values(row)[0]));
    return lines.filter((line) => line !== 'ok');
  } finally {
    connection.close();
  }
}
