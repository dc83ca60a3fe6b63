// The job of a bulk deletion (contract/profiles.md section 7): its id, and the outcome of each
// record.
import { randomBytes } from 'node:crypto';
import type { WritableRecords } from '../../ports/store.ts';

/** Most records that are deleted without a job. */
export const DELETED_AT_ONCE_MAX = 100;
/** How long a job can be read. */
const JOB_RETENTION_SECONDS = 30 * 24 * 3600;

/** The outcome of one record of a job. */
export interface DeletionOutcome {
  /** Id of the deleted record, or the key from the request. */
  readonly id: string;
  /** Empty if the record was deleted. */
  readonly errors: readonly string[];
}

/** Creates an id: 24 hex digits that begin with the time. @param now epoch milliseconds */
export function newJobId(now: number): string {
  return `${timePart(now)}${randomBytes(8).toString('hex')}`;
}

/**
 * Stores a job that has already run: a thousand deletions take less than a second. Deletes old
 * jobs.
 * @param now epoch milliseconds
 */
export async function addDeletionJob(
  records: WritableRecords,
  tenantId: string,
  id: string,
  jobData: readonly DeletionOutcome[],
  now: number,
): Promise<void> {
  const created = new Date(now).toISOString();
  const outcome = { status: 'complete', jobType: 'import', jobData } as const;
  await records.addJob(tenantId, { id, ...outcome, created });
  await records.deleteJobsBefore(tenantId, timePart(now - JOB_RETENTION_SECONDS * 1000));
}

/** Eight hex digits that sort like the seconds. */
function timePart(now: number): string {
  return Math.floor(now / 1000)
    .toString(16)
    .padStart(8, '0');
}
