// Opens, copies, checks and restores the store that the settings name, and its secrets key, for the
// service and for commands that need nothing else.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSegmentFile } from '../backends/embedded/files/manifest.ts';
import type { Config } from '../config/config.ts';
import { fileFault } from '../config/file-fault.ts';
import { ServiceError } from '../errors.ts';
import type { Store } from '../service/ports/store.ts';
import { missingOf } from '../store/migrate.ts';
import type { ProcessWrites } from '../store/sql/process-writes.ts';
import { restoreTriggersOf } from '../store/sqlite/checksum-triggers.ts';
import {
  type IndexLock,
  lockAgainstServers,
  lockStoreAlone,
  shareStore,
  storeFile,
} from '../store/sqlite/index-lock.ts';
import { rebuildIndexes, storeFaults } from '../store/sqlite/integrity.ts';
import { sqliteMigrations } from '../store/sqlite/sqlite-migrations.ts';
import { sqliteSchemaFaults } from '../store/sqlite/sqlite-schema.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { CopyReport, CopyWatch } from '../store/sqlite/store-copy.ts';
import { type RebuiltStore, rebuildStore } from '../store/sqlite/store-rebuild.ts';

export { makeKeyFile, readKeyFile, stageKeyFile } from '../store/sealing/secrets-key.ts';
export { isOfChecksums } from '../store/sql/row-checksum.ts';
export { staysInStore } from '../store/sql/row-damage.ts';
export {
  type BackupDescription,
  type BackupWatch,
  backUp,
  flush,
  verifyBackup,
} from '../store/sqlite/backup.ts';
export { areOfIndexes } from '../store/sqlite/integrity.ts';
export { recordBackup } from '../store/sqlite/last-backup.ts';
export { restoreBackup } from '../store/sqlite/restore.ts';
export { isDamaged } from '../store/sqlite/sqlite-driver.ts';

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
  const lock = await lockAgainstServers(config.indexDir, config.dataDir);
  try {
    // Both get the newest tables.
    await (await openStore(store)).close();
    await (await openStore(target, { setting: '--to' })).close();
    const { copyStore: copy } = await import('../store/sqlite/store-copy.ts');
    return await copy(store, target, watch);
  } finally {
    lock.release();
  }
}

/**
 * Opens the store of a data directory. Unless `isNew`, it refuses a store that has lost what the
 * search index was fed from, since the start would discard the index, the last trace of the data.
 * @param options as `openStore`
 * @throws ServiceError `unavailable` if it was lost, or as `openStore`
 */
export async function openStoreOf(
  config: Config,
  isNew: boolean,
  options: Pick<OpeningOptions, 'onMended' | 'writes'> = {},
): Promise<Store> {
  // Opening would create a missing file, and remove the log of an empty one.
  const lost = isNew ? null : lostStore(config);
  if (lost !== null) throw new ServiceError('unavailable', lost);
  const store = await openStore(config.store, options);
  try {
    if (!isNew && (await store.read.lastSequence()) === 0) {
      const lost = hasIndex(config) || (await hasRemoteIndex(config));
      if (lost) throw new ServiceError('unavailable', lostSentence(config, 'is empty'));
    }
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Says that the file of the store is missing or empty while an index was fed from it; or null. */
export function lostStore(config: Config): string | null {
  const { store } = config;
  if (store.kind !== 'sqlite' || !hasIndex(config)) return null;
  const file = statSync(store.path, { throwIfNoEntry: false });
  if (file !== undefined && file.size > 0) return null;
  return lostSentence(config, file === undefined ? 'is missing' : 'is empty');
}

/** True if the data directory holds an index of documents; an empty store has none. */
function hasIndex({ indexDir }: Config): boolean {
  try {
    return readdirSync(indexDir).some(isSegmentFile);
  } catch (error) {
    // A file of that name is refused when the index is opened.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/**
 * True if OpenSearch holds indexes of the service; false also if it does not answer, as the backend
 * asks again before it discards any.
 */
async function hasRemoteIndex({ searchUrl, searchPrefix }: Config): Promise<boolean> {
  if (searchUrl === null) return false;
  const { hasIndexes } = await import('../backends/opensearch/indexes/existing-indexes.ts');
  return hasIndexes(searchUrl, searchPrefix).catch(() => false);
}

function lostSentence(config: Config, fault: string): string {
  const { store, indexDir, searchUrl, searchPrefix } = config;
  const [name, restore] =
    store.kind === 'sqlite'
      ? [store.path, 'cardea restore DIRECTORY --replace']
      : ['in the database of CARDEA_STORE_URL', 'pg_restore'];
  const holder =
    hasIndex(config) || searchUrl === null
      ? indexDir
      : `OpenSearch, with the prefix ${searchPrefix} (CARDEA_SEARCH_PREFIX),`;
  return `The store ${name} ${fault}, but ${holder} holds a search index that was built from it: restore a backup (${restore}), or start cardea serve or cardea demo with --new, which begins with an empty store and discards the index.`;
}

/** Called with a sentence if numbers of changes were impossible and are corrected, or triggers were made again. */
export type MendedNumbers = (what: string) => void;

export interface OpeningOptions {
  /** What the store was named by, for errors. */
  readonly setting?: string;
  readonly onMended?: MendedNumbers | undefined;
  /** What the threads of this process share; default: there is one. */
  readonly writes?: ProcessWrites | undefined;
}

/**
 * Opens the store, and migrates it.
 * @throws ServiceError `unavailable` that names the store if it cannot be opened, with
 * `retryAfterSeconds` if that may pass by itself
 */
export async function openStore(
  config: Config['store'],
  { setting, onMended, writes }: OpeningOptions = {},
): Promise<Store> {
  switch (config.kind) {
    case 'sqlite':
      return withName(config, setting, async () => {
        mkdirSync(dirname(config.path), { recursive: true, mode: 0o700 });
        const lock = await shareStore(config.path);
        const options = { ...(onMended && { onMended }), ...(writes && { writes }) };
        return openSqliteStore({ ...config, lock, ...options }).catch((error) => {
          lock.release();
          throw error;
        });
      });
    case 'postgres': {
      // Loads the PostgreSQL client only if it is used.
      const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
      return withName(config, setting, () => openPostgresStore({ ...config, writes, onMended }));
    }
  }
}

/**
 * Returns the names of the migrations that the store lacks: it was written by an earlier version,
 * and opening it runs them. Changes nothing.
 * @throws ServiceError `unavailable` as `openStore`
 */
export async function missingMigrations(config: Config['store']): Promise<readonly string[]> {
  switch (config.kind) {
    case 'sqlite':
      return withName(config, undefined, async () =>
        missingOf(await sqliteMigrations(config.path)),
      );
    case 'postgres': {
      const { postgresMigrations } = await import('../store/postgres/postgres-migrations.ts');
      return withName(config, undefined, async () => missingOf(await postgresMigrations(config)));
    }
  }
}

/** Opens a store, and names it in the error if that fails; a defect stays as it is. */
async function withName<T>(
  config: Config['store'],
  setting: string | undefined,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const isOfSystem = typeof (error as NodeJS.ErrnoException).syscall === 'string';
    if (!(error instanceof ServiceError) && !isOfSystem) throw error;
    const reason = error instanceof ServiceError ? error.message : `${fileFault(error)}.`;
    const sentence = `The store ${placeOf(config, setting)} cannot be used: ${reason}`;
    const passes = config.kind === 'postgres' && (await mayPass(error));
    const fault = new ServiceError('unavailable', sentence, passes ? { retryAfterSeconds: 1 } : {});
    fault.cause = error;
    throw fault;
  }
}

async function mayPass(error: unknown): Promise<boolean> {
  const { mayPass: passes } = await import('../store/postgres/postgres-errors.ts');
  return error instanceof ServiceError && passes(error);
}

/** The path or the address of a store, without user and password, and what it was named by. */
function placeOf(config: Config['store'], setting: string | undefined): string {
  switch (config.kind) {
    case 'sqlite':
      return `${config.path} (${setting ?? 'CARDEA_DATA_DIR or CARDEA_STORE_URL'})`;
    case 'postgres': {
      const { protocol, host, pathname } = new URL(config.url);
      return `${protocol}//${host}${pathname} (${setting ?? 'CARDEA_STORE_URL'})`;
    }
  }
}

/** Checks the file of SQLite; PostgreSQL checks its own files. */
export async function checkStore(config: Config['store']): Promise<readonly string[] | null> {
  return config.kind === 'sqlite' ? storeFaults(config.path) : null;
}

/**
 * Rebuilds the indexes of a damaged file of SQLite, which mends it if its tables are sound.
 * @returns the faults that are left
 */
export async function rebuildStoreIndexes(config: Config['store']): Promise<readonly string[]> {
  return config.kind === 'sqlite' ? rebuildIndexes(config.path) : [];
}

/**
 * Copies the rows of a damaged file of SQLite into a new one, which takes its place.
 * @param now epoch milliseconds
 * @throws ServiceError `unavailable` if another process has the store open, or as
 * store/sqlite/store-rebuild.ts documents
 */
export async function rebuildStoreOf(config: Config, now: number): Promise<RebuiltStore | null> {
  const { store, indexDir, dataDir } = config;
  if (store.kind !== 'sqlite') return null;
  const lock = await lockAgainstServers(indexDir, dataDir);
  let storeLock: IndexLock | null = null;
  try {
    storeLock = await lockStoreAlone(store.path);
    return await rebuildStore(storeFile(store.path), now);
  } finally {
    storeLock?.release();
    lock.release();
  }
}

/**
 * Makes the triggers again that write the checksums of records, or refuse changes of the audit trail, in a
 * store with the newest tables.
 * @returns the names of those that were missing
 * @throws ServiceError `unavailable` if the store cannot be written
 */
export async function restoreTriggers(config: Config['store']): Promise<readonly string[]> {
  if (config.kind === 'sqlite') return restoreTriggersOf(config.path);
  const { restoreTriggersOf: restoreOf } = await import('../store/postgres/postgres-triggers.ts');
  return restoreOf(config);
}

/**
 * Compares the tables with what the migrations make that were applied to the store, without opening it.
 * @returns the differences, one sentence each; null if the user of PostgreSQL may not create schemas
 * @throws ServiceError `unavailable` if the store cannot be read, or belongs to a newer version
 */
export async function checkSchema(config: Config['store']): Promise<readonly string[] | null> {
  switch (config.kind) {
    case 'sqlite':
      return sqliteSchemaFaults(config.path);
    case 'postgres': {
      const { postgresSchemaFaults } = await import('../store/postgres/postgres-schema.ts');
      return postgresSchemaFaults(config);
    }
  }
}
