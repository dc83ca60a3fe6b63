// The integrity of the database file: SQLite's own check of every page and table, and the checksum
// of every document.
import { type RecordFaults, recordFaults } from '../../service/documents/record-faults.ts';
import type { DocumentDamage } from '../../service/ports/store.ts';
import { documentDamage } from '../records/document-damage.ts';
import { recordsOver } from '../records.ts';
import { SqlExecutor } from '../sql/executor.ts';
import { openConnection, type SqliteConnection } from './sqlite-driver.ts';

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
    const lines = rows.flatMap((row) => String(Object.values(row)[0]).split('\n'));
    const faults = lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
    return faults.map((fault) => withTreeName(fault, connection));
  } finally {
    connection.close();
  }
}

/** Adds to a fault of a page which table or index the page belongs to. */
function withTreeName(fault: string, connection: SqliteConnection): string {
  return fault.replace(/^Tree (\d+)/, (tree, root: string) => {
    const owner = connection.get('select type, name from sqlite_schema where rootpage = ?', [
      Number(root),
    ]);
    return owner === undefined ? tree : `${tree} (${owner['type']} ${owner['name']})`;
  });
}

/** True if the faults are of indexes alone, which can be made again from their tables. */
export function areOfIndexes(faults: readonly string[]): boolean {
  const others = faults.filter((fault) => !/\bindex\b/.test(fault));
  if (others.length === 0) return faults.length > 0;
  // A damaged page of an index hides the pages below it. A list that is full may lack other faults.
  const isComplete = faults.length < FAULTS_MAX && others.length < faults.length;
  return isComplete && others.every((fault) => /^Page \d+: never used$/.test(fault));
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
 * Returns the damaged documents of a database file that `storeFaults` finds sound; leaves the file as it is.
 * @throws ServiceError `unavailable` if the file cannot be read
 */
export async function damagedDocuments(path: string): Promise<DocumentDamage> {
  const connection = await openConnection(path, BUSY_MS, 'read');
  try {
    return await documentDamage(new SqlExecutor('sqlite', connection)).documentDamage();
  } finally {
    connection.close();
  }
}

/**
 * Returns what is wrong with the records of a database file that `storeFaults` finds sound and that a
 * server has opened.
 * @throws ServiceError `unavailable` if the file cannot be read
 */
export async function faultsOfRecords(path: string): Promise<RecordFaults> {
  const connection = await openConnection(path, BUSY_MS);
  try {
    return await recordFaults(recordsOver(new SqlExecutor('sqlite', connection)));
  } finally {
    connection.close();
  }
}
