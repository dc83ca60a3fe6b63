// The search index directory belongs to one process at a time: whoever holds an exclusive
// transaction on a small SQLite file inside it. The operating system lets go of it when the holder
// dies, however it dies.
// Invariant: the lock is never written to, so it cannot be damaged.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isBusy, openConnection } from './sqlite-driver.ts';

/** Held until released or until the process ends. */
export interface IndexLock {
  release(): void;
}

/**
 * Takes the lock of the index directory `path`, which is made when missing.
 * @returns null where another process holds it for longer than `waitMs`
 * @throws ServiceError `unavailable` where the lock file cannot be used at all
 */
export async function acquireIndexLock(path: string, waitMs = 0): Promise<IndexLock | null> {
  mkdirSync(path, { recursive: true });
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
