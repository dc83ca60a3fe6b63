// The process that copies a database, so that its parent can report progress and end it: ending a
// thread inside SQLite would end the whole process. VACUUM INTO reads one snapshot of the database,
// even during writes, and creates a file without a log and without free pages.
import { answerParent } from '../../scheduling/child-process.ts';
import { openConnection } from './sqlite-driver.ts';

/** The one message to the process. */
export interface BackupJob {
  readonly path: string;
  /** The copy; must not exist. */
  readonly target: string;
}

const BUSY_MS = 10_000;

answerParent(async ({ path, target }: BackupJob) => {
  const connection = await openConnection(path, BUSY_MS);
  try {
    connection.run('vacuum into ?', [target]);
  } finally {
    connection.close();
  }
});
