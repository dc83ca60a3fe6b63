// Puts a backup in the place of the SQLite store, while nothing runs on the data directory.
// Invariant: at any moment there is a whole store under its name: the old one or the restored one.
// The old one is kept beside it, and the index of before is gone first.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { recordOperatorChange } from '../../identity/audit/operator-event.ts';
import {
  BACKUP_FILE,
  type BackupDescription,
  type BackupWatch,
  flush,
  hashOf,
  verifyBackup,
} from './backup.ts';
import { acquireIndexLock } from './index-lock.ts';
import { openConnection } from './sqlite-driver.ts';
import { openSqliteStore } from './sqlite-store.ts';

export interface RestoreRequest {
  /** The backup. */
  readonly directory: string;
  /** The database file that is to be. */
  readonly path: string;
  readonly indexDir: string;
  /** What becomes of a store that is there. */
  readonly existing: 'refused' | 'moved aside';
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface Restored {
  readonly description: BackupDescription;
  /** Where the store of before is; null: there was none. */
  readonly aside: string | null;
}

const LOCK_WAIT_MS = 2_000;
const LOCK_FILE = 'lock.db';
/** What SQLite keeps beside a database. */
const LOG_SUFFIXES = ['-wal', '-shm'];

/**
 * Checks a backup and restores it.
 * @throws ServiceError `unavailable` where the backup is not whole, a server runs, or a store is
 * there and may not go
 */
export async function restoreBackup(
  request: RestoreRequest,
  watch: BackupWatch,
): Promise<Restored> {
  const { directory, path, indexDir, existing, now } = request;
  if (existing === 'refused' && existsSync(path)) {
    throw new ServiceError('unavailable', `${path} is there already: --replace moves it aside.`);
  }
  const description = await verifyBackup(directory, watch);
  const lock = await acquireIndexLock(indexDir, LOCK_WAIT_MS);
  if (lock === null) {
    throw new ServiceError('unavailable', `A server runs on ${dirname(indexDir)}: stop it first.`);
  }
  const partial = `${path}.restoring`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    copyFileSync(join(directory, BACKUP_FILE), partial);
    chmodSync(partial, 0o600);
    flush(partial);
    if ((await hashOf(partial, 'Restoring', watch)) !== description.sha256) {
      throw new ServiceError('unavailable', `${partial} was not written as it should be.`);
    }
    await recordRestore(partial, description, now);
    for (const name of readdirSync(indexDir)) {
      if (!name.startsWith(LOCK_FILE)) rmSync(join(indexDir, name), { recursive: true });
    }
    const aside = existsSync(path) ? await moveAside(path, now) : null;
    renameSync(partial, path);
    flush(dirname(path));
    return { description, aside };
  } catch (error) {
    for (const suffix of ['', ...LOG_SUFFIXES]) rmSync(partial + suffix, { force: true });
    throw error;
  } finally {
    lock.release();
  }
}

/**
 * Records in the trail of each tenant that it went back to the backup: what followed there is not
 * in it. A store of an older version gets the newest tables first.
 */
async function recordRestore(
  path: string,
  { created, sequence, sha256 }: BackupDescription,
  now: number,
): Promise<void> {
  const store = await openSqliteStore({ path });
  try {
    await store.write((records) =>
      recordOperatorChange(records, {
        created: new Date(now).toISOString(),
        object: 'STORE',
        operation: 'RESTORE',
        action: 'RestoreStore',
        target: 'cardea restore',
        attributes: { backupCreated: created, backupSequence: sequence, backupSha256: sha256 },
      }),
    );
  } finally {
    await store.close();
  }
  // The file alone is put in place, so nothing may be left in its log.
  const connection = await openConnection(path, LOCK_WAIT_MS);
  try {
    const [result] = connection.all('pragma wal_checkpoint(truncate)', []);
    if (result?.['busy'] !== 0) {
      throw new ServiceError('unavailable', `${path} is in use: end what reads it and try again.`);
    }
  } finally {
    connection.close();
  }
  for (const suffix of LOG_SUFFIXES) rmSync(path + suffix, { force: true });
  flush(path);
}

/**
 * The store of before under another name, and its log with it: left behind, the log would be taken
 * for the new one's.
 */
async function moveAside(path: string, now: number): Promise<string> {
  const aside = `${path}.before-${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
  await foldLog(path);
  for (const suffix of LOG_SUFFIXES) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  linkSync(path, aside);
  return aside;
}

/** Puts what is in the log into the file; a damaged store keeps its log. */
async function foldLog(path: string): Promise<void> {
  try {
    const connection = await openConnection(path, 0);
    try {
      connection.exec('pragma wal_checkpoint(truncate)');
    } finally {
      connection.close();
    }
  } catch {
    // It is moved aside as it is, log and all.
  }
}
