// Packages that tests of clients run, each set in a folder of its own below .cache, installed once over the network. Python
// packages need Python 3.11 or newer with venv, as `python3` or named by PYTHON.
// Invariant: a folder is renamed when it is complete, since test files run at the same time.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The official Python package. */
export const PYTHON_SDK = ['sailpoint==2.1.72'] as const;

/** The absolute path of the interpreter of an environment that has the packages. @param packages such as `mypy==2.4.1` */
export function installedPython(packages: readonly [string, ...string[]]): string {
  const folder = installed('python', packages, (empty) => {
    run(process.env['PYTHON'] ?? 'python3', ['-m', 'venv', empty]);
    run(join(empty, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...packages]);
  });
  return join(folder, 'bin', 'python');
}

/** The absolute path of a folder whose `node_modules` has the packages. @param packages such as `typescript@5.9.3` */
export function installedNode(packages: readonly [string, ...string[]]): string {
  return installed('node', packages, (empty) => {
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    run('npm', ['install', '--prefix', empty, ...quietly, ...packages]);
  });
}

/** The absolute path of the folder of the packages, named after the first one. */
function installed(
  language: string,
  packages: readonly [string, ...string[]],
  install: (empty: string) => void,
): string {
  const cache = resolve('.cache', language, packages[0].replace(/[@=]+/, '-'));
  if (existsSync(cache)) return cache;
  mkdirSync(dirname(cache), { recursive: true });
  const folder = mkdtempSync(`${cache}-`);
  try {
    install(folder);
    renameSync(folder, cache);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(cache)) throw error;
  }
  return cache;
}

function run(command: string, args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
