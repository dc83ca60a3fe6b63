// Opens, copies, checks and restores the store that the settings name, and its secrets key, for the
// service and for commands that need nothing else.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { ServiceError } from '../errors.ts';
import type { Store } from '../service/ports/store.ts';
import { missingOf } from '../store/migrate.ts';
import { acquireIndexLock, LOCK_WAIT_MS } from '../store/sqlite/index-lock.ts';
import { storeFaults } from '../store/sqlite/integrity.ts';
import { sqliteMigrations } from '../store/sqlite/sqlite-migrations.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { CopyReport, CopyWatch } from '../store/sqlite/store-copy.ts';

export { makeKeyFile, readKeyFile, stageKeyFile } from '../store/sealing/secrets-key.ts';
export {
  type BackupDescription,
  type BackupWatch,
  backUp,
  flush,
  verifyBackup,
} from '../store/sqlite/backup.ts';
export { recordBackup } from '../store/sqlite/last-backup.ts';
export { restoreBackup } from '../store/sqlite/restore.ts';

/**
 * Copies the SQLite store of the data directory into PostgreSQL, while no server runs on the
 * directory.
 * @throws ServiceError `unavailable` if a server runs, or as store/sqlite/store-copy.ts documents
 */
export async function copyStore(
  config: Config,
  target: Config['store'],
  watch: CopyWatch,
): Promise<CopyReport> {
  const { store } = config;
  if (store.kind !== 'sqlite' || target.kind !== 'postgres') {
    throw new TypeError('A copy goes from SQLite to PostgreSQL');
  }
  const lock = await acquireIndexLock(config.indexDir, LOCK_WAIT_MS);
  if (lock === null) {
    throw new ServiceError('unavailable', `A server runs on ${config.dataDir}: stop it first.`);
  }
  try {
    const { copyStore: copy } = await import('../store/sqlite/store-copy.ts');
    return await copy(store, target, watch);
  } finally {
    lock.release();
  }
}

/** Opens the store, and migrates it. @throws ServiceError `unavailable` if it cannot be opened */
export async function openStore(config: Config['store']): Promise<Store> {
  switch (config.kind) {
    case 'sqlite':
      mkdirSync(dirname(config.path), { recursive: true, mode: 0o700 });
      return openSqliteStore(config);
    case 'postgres': {
      // Loads the PostgreSQL client only if it is used.
      const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
      return openPostgresStore(config);
    }
  }
}

/**
 * Returns the names of the migrations that the store lacks: it was written by an earlier version,
 * and opening it runs them. Changes nothing.
 * @throws ServiceError `unavailable` if the store cannot be read
 */
export async function missingMigrations(config: Config['store']): Promise<readonly string[]> {
  switch (config.kind) {
    case 'sqlite':
      return missingOf(await sqliteMigrations(config.path));
    case 'postgres': {
      const { postgresMigrations } = await import('../store/postgres/postgres-migrations.ts');
      return missingOf(await postgresMigrations(config));
    }
  }
}

/** Checks the file of SQLite; PostgreSQL checks its own files. */
export async function checkStore(config: Config['store']): Promise<readonly string[] | null> {
  return config.kind === 'sqlite' ? storeFaults(config.path) : null;
}
