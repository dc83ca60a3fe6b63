// The checks of the store as a file or a database: its schema and its pages.
import type { Offline } from '../../compose/compose.ts';
import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../errors.ts';
import { grouped } from '../common/terminal.ts';
import type { Check, CheckOptions } from './check.ts';

/**
 * Compares the tables with the migrations, and makes the triggers of checksums again. The store is not opened, as
 * that, and other checks, may fail without a table.
 * @returns `keepsRows` as in CheckOptions
 */
export async function schemaCheck(
  options: CheckOptions,
): Promise<{ readonly check: Check; readonly keepsRows: boolean }> {
  const { checkSchema, isOfChecksums } = await import('../../compose/store.ts');
  const faults = await checkSchema(options.config.store);
  const lost = faults?.filter(isOfChecksums) ?? [];
  return { check: await schemaResult(options, faults, lost), keepsRows: lost.length > 0 };
}

async function schemaResult(
  { config: { store }, repair }: CheckOptions,
  found: readonly string[] | null,
  lost: readonly string[],
): Promise<Check> {
  const name = 'schema';
  const { checkSchema, missingMigrations, restoreTriggers } = await import(
    '../../compose/store.ts'
  );
  let faults = found;
  if (repair && lost.length > 0 && (await missingMigrations(store)).length === 0) {
    await restoreTriggers(store);
    faults = await checkSchema(store);
    if (faults?.length === 0) return { name, status: 'mended', message: found?.join('; ') ?? '' };
  }
  if (faults === null) {
    const message =
      'not compared with the migrations: grant the user of CARDEA_STORE_URL "create" on the database';
    return { name, status: 'warning', message };
  }
  if (faults.length > 0) return { name, status: 'fault', message: faults.join('; ') };
  return { name, status: 'ok', message: 'as the migrations make it' };
}

/** Checks a store that opening would migrate; null if none of its migrations is missing. */
export async function earlierVersionCheck({ store }: Config): Promise<Check | null> {
  const { checkStore, missingMigrations } = await import('../../compose/store.ts');
  const missing = await missingMigrations(store);
  if (missing.length === 0) return null;
  const name = 'store';
  const faults = (await checkStore(store)) ?? [];
  if (faults.length > 0) {
    return { name, status: 'fault', message: `${faults.join('; ')}: restore a backup` };
  }
  const steps = missing.length === 1 ? '1 migration is' : `${missing.length} migrations are`;
  const message = `of an earlier version, ${steps} missing: make a backup; the next start migrates it`;
  return { name, status: 'warning', message };
}

/** A fault of a file in which SQLite's own check comes upon a damaged page. */
const UNREADABLE = 'a page is damaged, so that the file cannot be checked to its end';

/**
 * Repairs the file of SQLite before it is opened: rebuilds its indexes and, if that does not help, copies
 * its rows into a new file.
 * @returns null for a sound file, and for PostgreSQL, which checks its own
 */
export async function fileRepair({ config, context }: CheckOptions): Promise<Check | null> {
  const { areOfIndexes, checkStore, isDamaged, rebuildStoreIndexes, rebuildStoreOf } = await import(
    '../../compose/store.ts'
  );
  const { store } = config;
  // What else is wrong with a file is named when it is opened.
  const faults = await checkStore(store).catch((error: Error) =>
    isDamaged(error) ? [UNREADABLE] : [],
  );
  if (faults === null || faults.length === 0) return null;
  const name = 'store';
  const found = faults.join('; ');
  if (areOfIndexes(faults)) {
    const left = await rebuildStoreIndexes(store).catch((error: Error) => [error.message]);
    if (left.length === 0) return { name, status: 'mended', message: found };
  }
  try {
    const rebuilt = await rebuildStoreOf(config, context.now());
    if (rebuilt === null) return null;
    const outcome = `its ${grouped(rebuilt.rows)} rows are in a new file, the damaged one is ${rebuilt.previous}`;
    return { name, status: 'mended', message: `${found}: ${outcome}` };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = `${found}: no copy could be made (${error.message.replace(/\.$/, '')}): restore a backup, or mend that and try again`;
    return { name, status: 'fault', message };
  }
}

/** Checks the pages of the store. @param repaired the result of `fileRepair` */
export async function storeCheck(
  { store, checkStore }: Offline,
  repaired: Check | null,
): Promise<Check> {
  const name = 'store';
  await store.ping();
  if (repaired !== null) return repaired;
  const { areOfIndexes, isDamaged } = await import('../../compose/store.ts');
  const faults = await checkStore().catch((error: Error) => {
    if (isDamaged(error)) return [UNREADABLE];
    throw error;
  });
  const last = grouped(await store.read.lastSequence());
  if (faults === null)
    return { name, status: 'ok', message: `PostgreSQL answers, last change ${last}` };
  if (faults.length === 0) return { name, status: 'ok', message: `sound, last change ${last}` };
  const help = areOfIndexes(faults)
    ? '--repair rebuilds the indexes, or restore a backup'
    : 'restore a backup, or --repair copies the rows into a new file if all can be read';
  return { name, status: 'fault', message: `${faults.join('; ')}: ${help}` };
}
