// Checks every page, document and audit trail of the database file while a server runs, in a process of low
// priority.
import { runInProcess } from '../../scheduling/child-process.ts';
import { programBeside } from '../../scheduling/program-beside.ts';
import type { FileFaults, IntegrityJob } from './integrity-process.ts';

/** @throws Error if it cannot be checked now; ServiceError `unavailable` once the signal aborts */
export function checkFile(path: string, signal: AbortSignal): Promise<FileFaults> {
  const job: IntegrityJob = { path };
  return runInProcess(programBeside(import.meta.url, 'integrity-process'), job, {
    ...{ signal, ended: 'The process that checks the store ended.' },
  });
}
