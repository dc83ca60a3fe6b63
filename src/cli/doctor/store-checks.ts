// The checks of the store as a file or a database: its schema and its pages.
import type { Offline } from '../../compose/compose.ts';
import type { Config } from '../../config/config.ts';
import { grouped } from '../common/terminal.ts';
import type { Check, CheckOptions } from './check.ts';

/**
 * Compares the tables with the migrations. The store is not opened, as that, and other checks, may fail
 * without one of them.
 */
export async function schemaCheck({ store }: Config): Promise<Check> {
  const name = 'schema';
  const { checkSchema } = await import('../../compose/store.ts');
  const faults = await checkSchema(store);
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

export async function storeCheck(
  { store, checkStore }: Offline,
  { config, repair }: CheckOptions,
): Promise<Check> {
  await store.ping();
  const faults = await checkStore();
  const last = grouped(await store.read.lastSequence());
  if (faults === null) {
    return { name: 'store', status: 'ok', message: `PostgreSQL answers, last change ${last}` };
  }
  if (faults.length > 0) {
    const found = faults.join('; ');
    const { areOfIndexes, rebuildStoreIndexes } = await import('../../compose/store.ts');
    if (!areOfIndexes(faults)) {
      return { name: 'store', status: 'fault', message: `${found}: restore a backup` };
    }
    if (!repair) {
      const message = `${found}: --repair rebuilds the indexes, or restore a backup`;
      return { name: 'store', status: 'fault', message };
    }
    const left = await rebuildStoreIndexes(config.store);
    if (left.length === 0) return { name: 'store', status: 'mended', message: found };
    const message = `${left.join('; ')}: restore a backup`;
    return { name: 'store', status: 'fault', message };
  }
  return {
    name: 'store',
    status: 'ok',
    message: `sound, last change ${last}`,
  };
}
