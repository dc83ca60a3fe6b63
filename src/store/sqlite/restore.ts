// Replaces the SQLite store by a backup, while no server runs on the data directory.
// Invariant: at any moment there is a complete store under its name, the old or the restored one.
// The old one is kept next to it, and the old index is deleted first. What a restore leaves that is killed
// is removed by the next start or restore (`clearRestore`).
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileFault } from '../../config/file-fault.ts';
import { ServiceError } from '../../errors.ts';
import { verifyAuditDatabase } from '../../service/audit/audit-database.ts';
import { LOCAL_OPERATOR, recordAuditEvent } from '../../service/audit/audit-event.ts';
import { DamagedTrailError } from '../../service/ports/audit-chain.ts';
import {
  BACKUP_FILE,
  type BackupDescription,
  type BackupWatch,
  flush,
  hashOf,
  verifyBackup,
} from './backup.ts';
import {
  type IndexLock,
  LOCK_WAIT_MS,
  lockAgainstServers,
  lockStoreAlone,
  storeFile,
} from './index-lock.ts';
import { isBusy, openConnection, type SqliteConnection } from './sqlite-driver.ts';
import { sqliteSchemaFaults } from './sqlite-schema.ts';
import { openSqliteStore } from './sqlite-store.ts';

export interface RestoreRequest {
  /** The backup. */
  readonly directory: string;
  /** The database file to restore. */
  readonly path: string;
  readonly indexDir: string;
  /** What to do if there is a store. */
  readonly existing: 'refused' | 'moved aside';
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface Restored {
  readonly description: BackupDescription;
  /** The path of the old store; null: there was none. */
  readonly previousStore: string | null;
  /** What a client of the database had changed in the backup, one sentence each. */
  readonly faults: readonly string[];
}

const LOCK_FILE = 'lock.db';
/** Suffixes of the new store until it gets its name. */
const RESTORING = '.restoring';
export const REBUILDING = '.rebuilding';
/** Suffixes of SQLite's other files of a database, which it applies to any file of that name. */
export const LOG_SUFFIXES = ['-wal', '-shm', '-journal'];

/**
 * Verifies a backup and restores it.
 * @throws ServiceError `unavailable` if the backup is incomplete, a server runs, or a store exists
 * and may not be replaced
 */
export async function restoreBackup(
  request: RestoreRequest,
  watch: BackupWatch,
): Promise<Restored> {
  const { directory, indexDir, existing, now } = request;
  const path = storeFile(request.path);
  const partial = partialOf(path);
  refuseLink(indexDir);
  const lockIndex = () => lockAgainstServers(indexDir, dirname(indexDir));
  // A running server is reported before anything else. Nothing is created before the backup is
  // verified, and without an index directory no server runs.
  let lock = existsSync(indexDir) ? await lockIndex() : null;
  let storeLock: IndexLock | null = null;
  try {
    if (existsSync(path)) storeLock = await lockStoreAlone(path);
    if (existing === 'refused' && existsSync(path)) {
      throw new ServiceError('unavailable', `${path} is there already: --replace moves it aside.`);
    }
    const description = await verifyBackup(directory, watch);
    for (const folder of [dirname(path), dirname(indexDir)]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    lock ??= await lockIndex();
    storeLock ??= await lockStoreAlone(path);
    clearRestore(path);
    try {
      copyFileSync(join(directory, BACKUP_FILE), partial);
    } catch (error) {
      throw new ServiceError('unavailable', `${partial} cannot be written: ${fileFault(error)}.`);
    }
    chmodSync(partial, 0o600);
    flush(partial);
    if ((await hashOf(partial, 'Restoring', watch)) !== description.sha256) {
      throw new ServiceError('unavailable', `${partial} was not written as it should be.`);
    }
    const faults = await recordRestore(partial, description, now);
    for (const name of readdirSync(indexDir)) {
      if (!name.startsWith(LOCK_FILE)) rmSync(join(indexDir, name), { recursive: true });
    }
    const previousStore = await putInPlace(partial, path, now);
    return { description, previousStore, faults };
  } catch (error) {
    rmSync(partial, { force: true });
    removeLogs(partial);
    throw error;
  } finally {
    storeLock?.release();
    lock?.release();
  }
}

/** The old index is deleted, and a link may lead to a folder with other files. */
function refuseLink(indexDir: string): void {
  if (lstatSync(indexDir, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  const sentence = `${indexDir} is a symbolic link, and a restore deletes the old search index: remove the link, restore, and link it again to an empty folder.`;
  throw new ServiceError('unavailable', sentence);
}

/**
 * Records in the trail of each tenant that it was reset to the backup, since later events are
 * missing from it. A store of an older version is migrated first.
 * @returns the faults of its schema and of the protection of its trails
 */
async function recordRestore(
  path: string,
  { created, sequence, sha256 }: BackupDescription,
  now: number,
): Promise<readonly string[]> {
  const store = await openSqliteStore({ path });
  const faults: string[] = [];
  try {
    faults.push(...(await sqliteSchemaFaults(path)), ...(await verifyAuditDatabase(store.read)));
    const content = {
      act: 'STORE_RESTORE',
      target: 'cardea restore',
      attributes: { backupCreated: created, backupSequence: sequence, backupSha256: sha256 },
    } as const;
    for (const { id, name } of await store.read.tenants()) {
      const context = { actor: LOCAL_OPERATOR, now };
      await store
        .write((records) => recordAuditEvent(records, id, context, content))
        .catch((error) => {
          if (!(error instanceof DamagedTrailError)) throw error;
          faults.push(`The restore is not in the audit trail of ${name}. ${error.message}`);
        });
    }
  } finally {
    await store.close();
  }
  // Only the file is moved into place, so its log must be empty.
  const connection = await openConnection(path, LOCK_WAIT_MS);
  try {
    checkpointWhole(connection, path);
  } finally {
    connection.close();
  }
  removeLogs(path);
  flush(path);
  return faults;
}

/**
 * Gives a new store, which is whole and on the disk, the name of the store, which the caller has locked.
 * @throws ServiceError `unavailable` if another program reads or writes the store
 * @param now epoch milliseconds, for the name of the old one
 * @returns where the old store is; null if there was none
 */
export async function putInPlace(
  partial: string,
  path: string,
  now: number,
): Promise<string | null> {
  flush(partial);
  const previous = await moveAside(path, now);
  renameSync(partial, path);
  flush(dirname(path));
  return previous;
}

/**
 * Renames the old store together with its log, which SQLite would otherwise apply to the new store.
 * The log may be there without the store.
 * @returns where the old store is; null if there was none
 */
async function moveAside(path: string, now: number): Promise<string | null> {
  const aside = `${path}.before-${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
  const isThere = existsSync(path);
  if (isThere) {
    await checkpoint(path);
    linkSync(path, aside);
  }
  for (const suffix of LOG_SUFFIXES) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return isThere ? aside : null;
}

/** Renames the log of a second name of the store, unless the store got another one since. */
function putLogBack(second: string, path: string): void {
  for (const suffix of ['-wal', '-journal']) {
    const bytes = statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > 0 || !existsSync(second + suffix)) continue;
    renameSync(second + suffix, path + suffix);
    // It is the index of another log.
    rmSync(`${path}-shm`, { force: true });
  }
  rmSync(`${second}-shm`, { force: true });
}

function partialOf(path: string): string {
  return path + RESTORING;
}

/** The paths that a restore or a rebuild of the store `path` has left and not finished. */
export function leftByRestore(path: string): readonly string[] {
  const left = [RESTORING, REBUILDING]
    .flatMap((name) => ['', ...LOG_SUFFIXES].map((suffix) => path + name + suffix))
    .filter(existsSync);
  const store = existsSync(path) ? statSync(path) : null;
  if (store === null || store.nlink < 2) return left;
  const names = readdirSync(dirname(path)).filter((name) =>
    name.startsWith(`${basename(path)}.before-`),
  );
  // A second name of the store, which was about to be replaced.
  const second = names
    .map((name) => join(dirname(path), name))
    .filter((other) => {
      const { ino, dev } = statSync(other);
      return ino === store.ino && dev === store.dev;
    });
  return [...left, ...second];
}

/**
 * Removes what a restore or a rebuild has left that was killed: the new store that did not get its name, and the
 * second name of the old one, which gets its log back. The caller has locked the store.
 * @returns the paths that were removed
 */
export function clearRestore(path: string): readonly string[] {
  const left = leftByRestore(path);
  for (const name of left) {
    if (name.startsWith(`${path}.before-`)) putLogBack(name, path);
    rmSync(name, { recursive: true, force: true });
  }
  return left;
}

/**
 * Moves the log into the file, of which the log is not moved with it.
 * @throws ServiceError `unavailable` if another process reads the file
 */
export function checkpointWhole(connection: SqliteConnection, path: string): void {
  // A prepared statement would keep the connection open on Node 20.
  connection.exec('pragma wal_checkpoint(truncate)');
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new ServiceError('unavailable', `${path} is in use: end what reads it and try again.`);
}

/** Removes SQLite's other files of a database whose log is empty. */
export function removeLogs(path: string): void {
  for (const suffix of LOG_SUFFIXES) rmSync(path + suffix, { force: true });
}

/**
 * Checkpoints the log into the file; a damaged store keeps its log, which is moved with it.
 * @throws ServiceError `unavailable` if another program reads or writes the file
 */
async function checkpoint(path: string): Promise<void> {
  let connection: SqliteConnection | null = null;
  try {
    connection = await openConnection(path, LOCK_WAIT_MS);
    // Other programs do not have the lock of the store.
    connection.exec('begin immediate');
    connection.exec('rollback');
    checkpointWhole(connection, path);
  } catch (error) {
    const isOfSqlite = error instanceof ServiceError && error.cause !== undefined;
    if (!isOfSqlite || isBusy(error)) throw error;
  } finally {
    connection?.close();
  }
}
