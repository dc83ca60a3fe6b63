// Makes a backup of the store in a process of its own, for a server.
import { runInProcess } from '../../scheduling/child-process.ts';
import { programBeside } from '../../scheduling/program-beside.ts';
import type { BackupDescription, BackupRequest } from './backup.ts';

/** Time for the process to remove its files when it is told to end; a check of SQLite takes longer. */
const END_MS = 5_000;

/**
 * Makes and verifies a backup.
 * @param signal ends the process; a part of the backup may then be left, in a directory without
 * `backup.json`
 * @throws ServiceError `unavailable` if it cannot be made, or the signal aborted
 */
export function backUpApart(
  request: BackupRequest,
  signal: AbortSignal,
): Promise<BackupDescription> {
  return runInProcess(programBeside(import.meta.url, 'scheduled-backup-process'), request, {
    ...{ signal, graceMs: END_MS },
    ended: 'The process that makes the backup ended.',
  });
}
