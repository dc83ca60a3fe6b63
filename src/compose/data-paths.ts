// Paths of the data directory that are something else than the service puts there, such as a directory
// in the place of a file. Servers and commands that need it end with a sentence,
// `cardea doctor` names it, and `--repair` moves it into `damaged/`.
// Invariant: nothing that may hold data of the service is moved: no store, and no secrets key.
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { isIndexFile, MANIFEST } from '../backends/embedded/files/manifest.ts';
import type { Config } from '../config/config.ts';
import { fileFault } from '../config/file-fault.ts';
import { ServiceError } from '../errors.ts';
import { acquireStoreLock, LOCK_FILES, STORE_LOCK, storeFile } from '../store/sqlite/index-lock.ts';
import { clearRestore, LOG_SUFFIXES, leftByRestore } from '../store/sqlite/restore.ts';

type Places = Pick<Config, 'dataDir' | 'indexDir' | 'store' | 'searchUrl'>;

/** A path that is not what belongs there. */
export interface Misplaced {
  readonly path: string;
  /** A clause that names the path and says what to do. */
  readonly fault: string;
  /** Whether it may be moved out of the way. */
  readonly isMovable: boolean;
}

/** @returns what is wrong with the file of the store and its log */
export function misplacedStore({ store }: Pick<Places, 'store'>): readonly Misplaced[] {
  if (store.kind !== 'sqlite') return [];
  const { path } = store;
  const found: Misplaced[] = [];
  if (existsSync(path) && !statSync(path).isFile()) {
    const help = 'move it away and restore a backup (cardea restore DIRECTORY)';
    const fault = `The store ${path} (CARDEA_DATA_DIR or CARDEA_STORE_URL) cannot be used: it is ${kindOf(path)}; ${help}`;
    found.push({ path, fault, isMovable: false });
  }
  const suffixes = [...LOG_SUFFIXES, STORE_LOCK];
  found.push(...suffixes.flatMap((suffix) => noFile(path + suffix, 'of the store')));
  const files = ['', ...suffixes].map((suffix) => path + suffix);
  for (const file of files) {
    if (found.length === 0) found.push(...denied(file, constants.R_OK | constants.W_OK));
  }
  return found;
}

/** @returns what is wrong with the directory of the index and the names in it */
export function misplacedIndex({ indexDir }: Pick<Places, 'indexDir'>): readonly Misplaced[] {
  if (!existsSync(indexDir)) return [];
  if (!statSync(indexDir).isDirectory()) {
    const fault = `${indexDir} is ${kindOf(indexDir)} in the place of the directory of the search index: ${MOVE}`;
    return [{ path: indexDir, fault, isMovable: true }];
  }
  const unusable = denied(indexDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (unusable.length > 0) return unusable;
  return readdirSync(indexDir)
    .filter((name) => name === MANIFEST || isIndexFile(name) || isLockFile(name))
    .flatMap((name) => noFile(join(indexDir, name), 'of the search index'));
}

/**
 * Checks the names that opening the data needs.
 * @throws ServiceError `unavailable` that names the first that is not what belongs there
 */
export function checkPlaces(places: Places, part: 'store' | 'store and index'): void {
  const found = [...misplacedStore(places), ...(part === 'store' ? [] : misplacedIndex(places))];
  const [first] = found;
  if (first !== undefined) throw new ServiceError('unavailable', `${first.fault}.`);
}

/**
 * The folder of the data directory for what is moved out of the way; created if it is missing.
 * @throws ServiceError `unavailable` if it cannot be used
 */
export function damagedFolder(dataDir: string): string {
  const folder = join(dataDir, 'damaged');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
    return folder;
  } catch (error) {
    const why =
      existsSync(folder) && !statSync(folder).isDirectory() ? 'it is a file' : fileFault(error);
    throw new ServiceError(
      'unavailable',
      `The folder ${folder}, for what is moved out of the way, cannot be used: ${why}; move it away.`,
    );
  }
}

/**
 * Moves a path of the data directory out of the way.
 * @param now epoch milliseconds
 * @returns its new path
 * @throws ServiceError `unavailable` if that fails
 */
export function moveToDamaged(dataDir: string, path: string, now: number): string {
  const time = new Date(now).toISOString().replace(/[:.]/g, '-');
  const target = join(damagedFolder(dataDir), `${basename(path)}-${time}`);
  try {
    renameSync(path, target);
    return target;
  } catch (error) {
    throw new ServiceError('unavailable', `${path} cannot be moved: ${fileFault(error)}.`);
  }
}

/** The paths that a restore has left that did not end; also those of one that runs. */
export function leftOfRestore({ store }: Pick<Places, 'store'>): readonly string[] {
  return store.kind === 'sqlite' ? leftByRestore(storeFile(store.path)) : [];
}

/**
 * Removes what a killed restore has left, unless a restore runs or another process has the store open.
 * @returns the paths that were removed
 */
export async function clearKilledRestore(places: Places): Promise<readonly string[]> {
  const { store } = places;
  if (store.kind !== 'sqlite' || leftOfRestore(places).length === 0) return [];
  const lock = await acquireStoreLock(store.path);
  if (lock === null) return [];
  try {
    return clearRestore(storeFile(store.path));
  } finally {
    lock.release();
  }
}

const MOVE =
  'cardea doctor --repair moves it out of the way and fills the index again from the store';

function noFile(path: string, owner: string): readonly Misplaced[] {
  if (!existsSync(path) || statSync(path).isFile()) return [];
  const help = owner.endsWith('store') ? 'cardea doctor --repair moves it out of the way' : MOVE;
  const fault = `${path} is ${kindOf(path)} in the place of a file ${owner}: ${help}`;
  return [{ path, fault, isMovable: true }];
}

function denied(path: string, mode: number): readonly Misplaced[] {
  if (!existsSync(path)) return [];
  try {
    accessSync(path, mode);
    return [];
  } catch (error) {
    const help = 'give it to the user of the service, who must be able to read and write it';
    const fault = `${path} cannot be used: ${fileFault(error)}; ${help}`;
    return [{ path, fault, isMovable: false }];
  }
}

const isLockFile = (name: string): boolean => LOCK_FILES.some((lock) => name.startsWith(lock));

function kindOf(path: string): string {
  const stats = lstatSync(path);
  if (stats.isDirectory()) return 'a directory';
  return stats.isFile() ? 'a file' : 'no regular file';
}
