// Records when the store was last backed up, in a file of the data directory that a running server
// reads: a backup is made by another process, and a missing one must be visible.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../config/file-fault.ts';
import type { BackupDescription } from './backup.ts';

const FILE = 'last-backup.json';

/**
 * Records a completed backup.
 * @throws Error if the data directory cannot be written
 */
export function recordBackup(
  dataDir: string,
  directory: string,
  { created, sequence }: Pick<BackupDescription, 'created' | 'sequence'>,
): void {
  const path = join(dataDir, FILE);
  const partial = `${path}.partial`;
  writeFileSync(partial, `${JSON.stringify({ created, directory, sequence }, null, 2)}\n`, {
    mode: 0o600,
  });
  renameSync(partial, path);
}

/** When the last backup was made, in epoch milliseconds; 0 for none that is recorded. */
export function lastBackupTime(dataDir: string): number {
  try {
    const { created } = JSON.parse(readRegularFile(join(dataDir, FILE))) as {
      created: string;
    };
    const time = Date.parse(created);
    return Number.isFinite(time) ? time : 0;
  } catch {
    // No file, or one that somebody edited: no backup is known of.
    return 0;
  }
}
