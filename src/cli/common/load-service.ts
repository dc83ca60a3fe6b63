// Loads the service, only in commands that need it. From Node 22.1 on V8's compiled code of it is
// cached in the data directory: on Node 24 a start then takes a sixth less processor time.
// Invariant: Node runs what is in the cache, so the cache is used only if no other user can write
// to it. Node's default is the directory of temporary files, where others can.
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { directoryFault } from '../../config/exposure.ts';
import { fileFault } from '../../config/file-fault.ts';
import { UsageError } from './context.ts';

/** The folder in the data directory; it may be deleted at any time. */
const CACHE_FOLDER = 'compile-cache';

/** Creates the data directory if it is missing, and loads the service. */
export async function loadService({
  dataDir,
}: Config): Promise<typeof import('../../compose/compose.ts')> {
  createDataDirectory(dataDir);
  // The types are those of Node 20, which lacks it.
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  const folder = enableCompileCache && privateFolder(dataDir);
  if (folder) enableCompileCache(folder);
  return import('../../compose/compose.ts');
}

/**
 * Creates a data directory if it is missing.
 * @throws UsageError naming the path and the reason if it cannot be used
 */
export function createDataDirectory(dataDir: string): void {
  checkDataDirectory(dataDir, (path) => {
    // One level at a time: Node tries the whole path again and again in file systems that deny
    // what they do not know, such as /proc.
    for (const missing of missingLevels(path)) mkdirSync(missing, { mode: 0o700 });
  });
}

/** Checks a data directory, after `prepare`. @throws UsageError as `createDataDirectory` */
export function checkDataDirectory(
  dataDir: string,
  prepare: (path: string) => void = () => {},
): void {
  const path = resolve(dataDir);
  try {
    prepare(path);
    if (!statSync(path).isDirectory()) throw new Error('it is a file');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError([
      `The data directory ${path} cannot be used: ${reasonOf(error)}. Choose another one with --data-dir or CARDEA_DATA_DIR.`,
    ]);
  }
}

/** The directories of a path that do not exist, the uppermost first. */
function missingLevels(path: string): readonly string[] {
  const missing: string[] = [];
  for (let level = path; !existsSync(level); level = dirname(level)) missing.unshift(level);
  return missing;
}

function reasonOf(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  const reason = code === 'ENOENT' ? 'it cannot be created there' : fileFault(error);
  return path === undefined ? reason : `${reason} (${path})`;
}

/** Creates the folder of the cache. @returns null if others can read or write it */
export function privateFolder(dataDir: string): string | null {
  // A directory that the server is about to make private has a cache from the next start on.
  if (!isPrivate(dataDir)) return null;
  const folder = join(dataDir, CACHE_FOLDER);
  // Something else of that name only makes starts slower.
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) return null;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return isPrivate(folder) ? folder : null;
}

function isPrivate(directory: string): boolean {
  return directoryFault(directory) === null && statSync(directory).uid === process.getuid?.();
}
