// The process that checks every page, document and audit trail of the database file beside a running server. In the main
// thread the check would block all requests, and a thread inside SQLite cannot be ended.
import { setPriority } from 'node:os';
import { answerParent } from '../../scheduling/child-process.ts';
import type { RecordFaults } from '../../service/documents/record-faults.ts';
import { faultsOfRecords, storeFaults } from './integrity.ts';
import { isBusy } from './sqlite-driver.ts';

/** The one message to the process. */
export interface IntegrityJob {
  readonly path: string;
}

/** The one answer of the process. */
export interface FileFaults extends RecordFaults {
  /** One sentence for each fault; empty if the file is sound. Then its records are checked. */
  readonly faults: readonly string[];
}

/** The lowest: requests come first. */
const PRIORITY = 19;
const UNCHECKED: RecordFaults = { damage: { count: 0, documents: [] }, wrong: [], trails: [] };

answerParent(async ({ path }: IntegrityJob): Promise<FileFaults> => {
  setPriority(PRIORITY);
  try {
    const faults = await storeFaults(path);
    return { faults, ...(faults.length > 0 ? UNCHECKED : await faultsOfRecords(path)) };
  } catch (error) {
    // A file that cannot be read to its end is damaged, unless others only hold its lock.
    if (isBusy(error)) throw error;
    return { faults: [error instanceof Error ? error.message : String(error)], ...UNCHECKED };
  }
});
