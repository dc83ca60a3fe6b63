// Loads the service, only in commands that need it. From Node 22.1 on V8's compiled code of it is
// cached in the data directory: on Node 24 a start then takes a sixth less processor time.
// Invariant: Node runs what is in the cache, so the cache is used only if no other user can write
// to it. Node's default is the directory of temporary files, where others can.
import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { directoryFault } from '../exposure.ts';

/** The folder in the data directory; it may be deleted at any time. */
const CACHE_FOLDER = 'compile-cache';

/** Creates the data directory if it is missing, and loads the service. */
export async function loadService({ dataDir }: Config): Promise<typeof import('../compose.ts')> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // The types are those of Node 20, which lacks it.
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  const folder = enableCompileCache && privateFolder(dataDir);
  if (folder) enableCompileCache(folder);
  return import('../compose.ts');
}

/** Creates the folder of the cache. @returns null if others can read or write it */
export function privateFolder(dataDir: string): string | null {
  // A directory that the server is about to make private has a cache from the next start on.
  if (!isPrivate(dataDir)) return null;
  const folder = join(dataDir, CACHE_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return isPrivate(folder) ? folder : null;
}

function isPrivate(directory: string): boolean {
  return directoryFault(directory) === null && statSync(directory).uid === process.getuid?.();
}
