// A copy of the checkout and its build in a temporary folder, in which files can be changed and
// tests can run without effect on the checkout or another run. `node_modules` is a link. The copy
// has its own folder for temporary files.
import { existsSync, realpathSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders of the checkout that no test reads, and which are too large or too private to copy. */
const NOT_COPIED = new Set(['.git', '.cache', '.build', 'data', 'node_modules']);

/** The checkout that this file was built in: dist/test/mutation/ is three levels below it. */
export const CHECKOUT: string = fileURLToPath(new URL('../../../', import.meta.url));

export type BuiltCopy = {
  /** Absolute path without symbolic links and without a trailing separator. */
  readonly root: string;
  /** Temporary folder of processes in the copy (`TMPDIR`). */
  readonly temporary: string;
  /** Absolute path of a file, given its path from the root. */
  path(file: string): string;
  /** The text of a file, given its path from the root. */
  read(file: string): Promise<string>;
  /** Empties the temporary folder. */
  clearTemporary(): Promise<void>;
  /** Deletes the copy. */
  remove(): Promise<void>;
};

/**
 * Copies the checkout with its build.
 * @param checkout absolute path of a checkout that was built
 * @throws Error if `dist` is missing
 */
export async function copyBuild(checkout: string = CHECKOUT): Promise<BuiltCopy> {
  if (!existsSync(join(checkout, 'dist'))) {
    throw new Error(`${checkout} has no dist folder: run "npm run build" first`);
  }
  // A short name, since paths of Unix sockets below it must have fewer than 108 bytes.
  const root = realpathSync(await mkdtemp(join(tmpdir(), 'mutants-')));
  // Readable for the user that PostgreSQL runs as in tests.
  await chmod(root, 0o755);
  await cp(checkout, root, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (from) => !NOT_COPIED.has(relative(checkout, from).split(sep)[0] ?? ''),
  });
  await symlink(realpathSync(join(checkout, 'node_modules')), join(root, 'node_modules'));
  const temporary = join(root, 'tmp');
  await mkdir(temporary);
  return {
    root,
    temporary,
    path: (file) => join(root, file),
    read: (file) => readFile(join(root, file), 'utf8'),
    async clearTemporary() {
      await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
      await mkdir(temporary);
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}
