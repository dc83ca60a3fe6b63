// Files of empty SQLite stores. The tables are made once in a process, and copied after that.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is deleted when the process exits. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cardea-test-'));
  folders.push(folder);
  return folder;
}

let template: Promise<string> | undefined;

async function createTemplate(): Promise<string> {
  const path = join(temporaryFolder(), 'cardea.db');
  const store = await openSqliteStore({ path });
  // Closing the last connection moves the log into the file.
  await store.close();
  return path;
}

/** Writes the file of an empty store, with all tables. */
export async function writeEmptyStore(path: string): Promise<void> {
  template ??= createTemplate();
  copyFileSync(await template, path);
}
