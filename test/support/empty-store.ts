// Files of empty SQLite stores. The tables are made once in a process, and copied after that. Only a power
// cut would show whether a write has waited for the disk, so writes to stores that are thrown away do not.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, parseConfig } from '../../src/config/config.ts';
import type { Store } from '../../src/service/ports/store.ts';
import { openConnection } from '../../src/store/sqlite/sqlite-driver.ts';
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
  await (await openSqliteStore({ path, durable: false })).close();
  // On Node 20 a closed connection moves its log into the file only when its statements are collected.
  const connection = await openConnection(path, 60_000);
  connection.exec('pragma wal_checkpoint(truncate)');
  connection.close();
  return path;
}

/** Writes the file of an empty store, with all tables. */
export async function writeEmptyStore(path: string): Promise<void> {
  template ??= createTemplate();
  copyFileSync(await template, path);
}

/** Opens a store that is thrown away; a new one is a copy of the empty store. */
export async function openThrowAwayStore(path: string): Promise<Store> {
  if (!existsSync(path)) await writeEmptyStore(path);
  return openSqliteStore({ path, durable: false });
}

/** Settings of a service whose store is thrown away. */
export function throwAwayConfig(env: Readonly<Record<string, string>>): Config {
  const config = parseConfig(env);
  const { store } = config;
  return store.kind === 'sqlite' ? { ...config, store: { ...store, durable: false } } : config;
}
