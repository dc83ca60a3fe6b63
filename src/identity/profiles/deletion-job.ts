// The job of a deletion of many records (contract/profiles.md section 7): its id, and what became
// of each record.
import { randomBytes } from 'node:crypto';
import type { WritableRecords } from '../ports/store.ts';

/** Most records that are deleted without a job. */
export const DELETED_AT_ONCE_MAX = 100;
/** How long a job can be asked for. */
const JOB_KEPT_SECONDS = 30 * 24 * 3600;

/** What became of one record of a job. */
export interface DeletionOutcome {
  /** Of the record that was deleted, else the key as it was sent. */
  readonly id: string;
  /** Empty: it was deleted. */
  readonly errors: readonly string[];
}

/** A new id: 24 hex digits that begin with the time. @param now epoch milliseconds */
export function newJobId(now: number): string {
  return `${timePart(now)}${randomBytes(8).toString('hex')}`;
}

/**
 * Keeps a job that is done already: a thousand deletions take less than a second. Jobs that are too
 * old go.
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
  await records.deleteJobsBefore(tenantId, timePart(now - JOB_KEPT_SECONDS * 1000));
}

/** Eight hex digits that sort as the seconds do. */
function timePart(now: number): string {
  return Math.floor(now / 1000)
    .toString(16)
    .padStart(8, '0');
}
