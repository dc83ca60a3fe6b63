// The integrity of the database file: SQLite's own check of every page and table, and the checksum
// of every document.
import type { DocumentDamage } from '../../service/ports/store.ts';
import { documentDamage } from '../records/document-damage.ts';
import { SqlExecutor } from '../sql/executor.ts';
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
    const rows = connection.all(`pragma integrity_check(${FAULTS_MAX})`, []);
    const lines = rows.map((row) => String(Object.values(row)[0]));
    return lines.filter((line) => line !== 'ok');
  } finally {
    connection.close();
  }
}

/**
 * Rebuilds all indexes of a file in which only they are damaged.
 * @returns the faults that are left
 * @throws ServiceError `unavailable` if the file cannot be read or written
 */
export async function rebuildIndexes(path: string): Promise<readonly string[]> {
  const connection = await openConnection(path, BUSY_MS);
  try {
    connection.exec('reindex');
  } finally {
    connection.close();
  }
  return storeFaults(path);
}

/**
 * Returns the damaged documents of a database file that `storeFaults` finds sound.
 * @throws ServiceError `unavailable` if the file cannot be read
 */
export async function damagedDocuments(path: string): Promise<DocumentDamage> {
  const connection = await openConnection(path, BUSY_MS);
  try {
    return await documentDamage(new SqlExecutor('sqlite', connection)).documentDamage();
  } finally {
    connection.close();
  }
}
