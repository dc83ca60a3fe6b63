// The directory of scheduled backups: one directory for each, named by its time. Others in it are never
// touched.
// Invariant: of a backup that is removed the description goes first, so that what is left after a crash
// is no backup.
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^cardea-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
/** Written last by `cardea backup`: a directory without it is no backup. */
const DESCRIPTION_FILE = 'backup.json';

/** A scheduled backup, or what is left of one. */
export interface ListedBackup {
  readonly path: string;
  /** Epoch milliseconds, in whole seconds. */
  readonly time: number;
  /** False: it was cut off. */
  readonly isWhole: boolean;
}

/** The path of the backup of a time. @param now epoch milliseconds */
export function backupPath(directory: string, now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  return join(directory, `cardea-${time}Z`);
}

/** The scheduled backups in a directory, the oldest first. */
export function listBackups(directory: string): readonly ListedBackup[] {
  return readdirSync(directory, { withFileTypes: true })
    .flatMap((entry): ListedBackup[] => {
      const [, ...parts] = NAME.exec(entry.name) ?? [];
      const [year, month, day, hour, minute, second] = parts.map(Number);
      if (!entry.isDirectory() || year === undefined) return [];
      const time = Date.UTC(year, (month ?? 1) - 1, day, hour, minute, second);
      const path = join(directory, entry.name);
      return [{ path, time, isWhole: existsSync(join(path, DESCRIPTION_FILE)) }];
    })
    .sort((one, other) => one.time - other.time);
}

/** Removes a backup, or what is left of one. */
export async function removeBackup({ path }: ListedBackup): Promise<void> {
  await rm(join(path, DESCRIPTION_FILE), { force: true });
  await rm(path, { recursive: true, force: true });
}
