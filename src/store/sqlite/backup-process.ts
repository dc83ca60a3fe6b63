// The process that copies a database, so that its parent can report progress and end it: ending a
// thread inside SQLite would end the whole process. VACUUM INTO reads one snapshot of the database,
// even during writes, and creates a file without a log and without free pages.
import { ServiceError } from '../../errors.ts';
import { openConnection } from './sqlite-driver.ts';

/** The one message to the process. */
export interface BackupJob {
  readonly path: string;
  /** The copy; must not exist. */
  readonly target: string;
}

/** The one answer of the process. */
export interface BackupOutcome {
  /** Why the copy failed; null: it succeeded. `isRefusal`: a sentence for the user, not a bug. */
  readonly fault: { readonly message: string; readonly isRefusal: boolean } | null;
}

const BUSY_MS = 10_000;

async function copy({ path, target }: BackupJob): Promise<BackupOutcome> {
  try {
    const connection = await openConnection(path, BUSY_MS);
    try {
      connection.run('vacuum into ?', [target]);
    } finally {
      connection.close();
    }
    return { fault: null };
  } catch (error) {
    const isRefusal = error instanceof ServiceError;
    return { fault: { message: isRefusal ? error.message : String(error), isRefusal } };
  }
}

process.once('message', (job: BackupJob) => {
  void copy(job).then((outcome) => process.send?.(outcome, () => process.disconnect()));
});
