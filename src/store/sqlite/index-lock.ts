// A lock of the search index directory for one process: an exclusive transaction on a small SQLite
// file inside it. The operating system releases it when the holder dies for any reason.
// A second one, next to the file of the store, is shared by all processes that have the store open, whatever
// their data directories are; who replaces the file holds it alone.
// Invariant: the lock files are empty, so what another program wrote into one is removed.
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { isBusy, openConnection } from './sqlite-driver.ts';

/** Longer than a process that stops takes to release a lock. */
export const LOCK_WAIT_MS = 2_000;

/** A lock of a directory or a store that is held until its release or the end of the process. */
export interface IndexLock {
  release(): void;
}

/**
 * Takes the lock of the index directory `path`, and creates the directory if missing, private.
 * @returns null if another process holds it for longer than `waitMs`
 * @throws ServiceError `unavailable` if the lock file cannot be used at all
 */
export async function acquireIndexLock(path: string, waitMs = 0): Promise<IndexLock | null> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return lockFile(join(path, 'lock.db'), waitMs);
}

/**
 * Takes the lock of the index directory for a command that no server may run beside.
 * @throws ServiceError `unavailable` if another process holds it
 */
export async function lockAgainstServers(indexDir: string, dataDir: string): Promise<IndexLock> {
  const lock = await acquireIndexLock(indexDir, LOCK_WAIT_MS);
  if (lock !== null) return lock;
  throw new ServiceError(
    'unavailable',
    `A server or a command, such as an import, runs on ${dataDir}: stop it first.`,
  );
}

/**
 * Keeps the file of a store, which need not exist, from being replaced.
 * @throws ServiceError `unavailable` while another process replaces it
 */
export async function shareStore(path: string): Promise<IndexLock> {
  const lock = await lockFile(storeLock(path), LOCK_WAIT_MS, 'shared');
  if (lock !== null) return lock;
  throw new ServiceError(
    'unavailable',
    'cardea restore or cardea doctor --repair replaces it now: try again when that has ended.',
  );
}

/**
 * Takes the lock of a store for a process that replaces its file.
 * @returns null if another process has the store open for longer than `waitMs`
 */
export function acquireStoreLock(path: string, waitMs = 0): Promise<IndexLock | null> {
  return lockFile(storeLock(path), waitMs);
}

/** As acquireStoreLock. @throws ServiceError `unavailable` that names the processes which have it open */
export async function lockStoreAlone(path: string): Promise<IndexLock> {
  const lock = await acquireStoreLock(path, LOCK_WAIT_MS);
  if (lock !== null) return lock;
  const ids = holdersOf(storeLock(path));
  const who = ids.length === 0 ? 'another process' : `process ${ids.join(' and ')}`;
  throw new ServiceError(
    'unavailable',
    `${path} is open in ${who}, such as a server or an import, maybe with another data directory: end it and try again.`,
  );
}

/** The file of a store that a path leads to, so that all names of a store have the same lock. */
export function storeFile(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** What the name of a store's lock adds to that of the store. */
export const STORE_LOCK = '.lock';

function storeLock(path: string): string {
  return storeFile(path) + STORE_LOCK;
}

/** The processes that hold locks of a file, as far as the operating system tells (Linux: proc_locks(5)). */
function holdersOf(file: string): readonly string[] {
  if (!existsSync('/proc/locks')) return [];
  const { ino } = statSync(file);
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  const ids = lines.map((line) => / (\d+) [\da-f]+:[\da-f]+:(\d+) /.exec(line));
  return [...new Set(ids.flatMap((found) => (found?.[2] === String(ino) ? [found[1] ?? ''] : [])))];
}

/** The names of the lock files; SQLite adds suffixes. */
export const LOCK_FILES: readonly string[] = ['lock.db'];

async function lockFile(
  file: string,
  waitMs: number,
  mode: 'shared' | 'exclusive' = 'exclusive',
): Promise<IndexLock | null> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() && found.size > 0) truncateSync(file);
  const unusable = (error: Error) =>
    new ServiceError('unavailable', `The lock ${file} cannot be used: ${error.message}`);
  const connection = await openConnection(file, waitMs).catch((error: Error) => {
    throw unusable(error);
  });
  try {
    // A transaction that has read keeps a shared lock until its end.
    connection.exec(
      mode === 'shared' ? 'begin; select count(*) from sqlite_schema' : 'begin exclusive',
    );
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error instanceof ServiceError ? unusable(error) : error;
  }
  return { release: () => connection.close() };
}
