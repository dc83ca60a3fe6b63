// A lock of the search index directory for one process: an exclusive transaction on a small SQLite
// file inside it. The operating system releases it when the holder dies for any reason.
// Invariant: the lock file is never written to, so it cannot be damaged.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isBusy, openConnection } from './sqlite-driver.ts';

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
  const connection = await openConnection(join(path, 'lock.db'), waitMs);
  try {
    connection.exec('begin exclusive');
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => connection.close() };
}
