// Small files that a command keeps, read and written whole.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileFault, readRegularFile } from '../../config/file-fault.ts';
import { UsageError } from './context.ts';

/** The text of a file; null if there is none. @throws the error of node:fs if it cannot be read */
export function readWhole(path: string): string | null {
  try {
    return readRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Replaces a file at once, or not at all, and makes its folder if there is none.
 * @param mode by default only its owner can read it
 * @throws the error of node:fs
 */
export function writeWhole(path: string, text: string, mode = 0o600): void {
  const draft = `${path}.${randomBytes(4).toString('hex')}.new`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, text, { mode, flag: 'wx', flush: true });
    chmodSync(draft, mode);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Reads what a person names.
 * @param name of the file, as the error has it
 * @throws UsageError if `read` throws
 */
export function readNamed<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError([`${name} cannot be read: ${fileFault(error)}.`]);
  }
}
