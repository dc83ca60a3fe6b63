// A lock of the search index directory for one process: an exclusive transaction on a small SQLite
// file inside it. The operating system releases it when the holder dies for any reason.
// A second one says that a server holds the lock and does not stop, so commands do not wait for it.
// Invariant: the lock files are empty, so what another program wrote into one is removed.
import { existsSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { isBusy, openConnection } from './sqlite-driver.ts';

/** Longer than a process that stops takes to release a lock. */
export const LOCK_WAIT_MS = 2_000;

/** A lock that is held until its release or the end of the process. */
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
 * Says that the holder of the lock is a server that runs, until the release.
 * @param path the index directory, which exists
 * @returns null if another process says so
 */
export function announceServer(path: string): Promise<IndexLock | null> {
  return lockFile(join(path, SERVING), ANNOUNCE_WAIT_MS);
}

/** Whether a server runs on the index directory, and does not stop. */
export async function isServed(path: string): Promise<boolean> {
  if (!existsSync(join(path, SERVING))) return false;
  const lock = await lockFile(join(path, SERVING), 0);
  lock?.release();
  return lock === null;
}

const SERVING = 'serving.db';
/** The names of the lock files; SQLite adds suffixes. */
export const LOCK_FILES: readonly string[] = ['lock.db', SERVING];
/** Longer than `isServed` holds the lock. */
const ANNOUNCE_WAIT_MS = 2_000;

async function lockFile(file: string, waitMs: number): Promise<IndexLock | null> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() && found.size > 0) truncateSync(file);
  const connection = await openConnection(file, waitMs).catch((error: Error) => {
    throw new ServiceError('unavailable', `The lock ${file} cannot be used: ${error.message}`);
  });
  try {
    connection.exec('begin exclusive');
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => connection.close() };
}
