// The process that copies a database, so that its parent can tell meanwhile how far it is, and can
// end it: a thread that is ended inside SQLite takes its process with it. VACUUM INTO reads one
// state of the database, whoever writes to it, and makes a file without a log and without free
// pages.
import { ServiceError } from '../../errors.ts';
import { openConnection } from './sqlite-driver.ts';

/** What the process is sent, once. */
export interface BackupJob {
  readonly path: string;
  /** Must not exist. */
  readonly target: string;
}

/** Its one answer. */
export interface BackupOutcome {
  /**
   * Why there is no copy; null: there is. `isRefusal`: a sentence for the user, not a fault of
   * ours.
   */
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
