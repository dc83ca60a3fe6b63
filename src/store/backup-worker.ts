// The thread that copies a database, so that the process can tell meanwhile how far it is. VACUUM INTO reads one state of
// the database, whoever writes to it, and makes a file without a log and without free pages.
import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './sqlite-driver.ts';

/** What the thread is given. */
export interface BackupJob {
  readonly path: string;
  /** Must not exist. */
  readonly target: string;
}

const BUSY_MS = 10_000;

if (parentPort !== null) {
  const { path, target } = workerData as BackupJob;
  const connection = await openConnection(path, BUSY_MS);
  try {
    connection.run('vacuum into ?', [target]);
  } finally {
    connection.close();
  }
}
