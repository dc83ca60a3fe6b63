// The official Python package in an environment of its own. It needs Python 3.9 or newer with venv,
// as `python3` or named by PYTHON, and the network once: pip puts the package into .cache/python.
// Invariant: a folder is renamed when it is complete, since test files run at the same time.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGE = 'sailpoint==2.1.72';
const CACHE = join('.cache', 'python', PACKAGE.replace('==', '-'));

/** The interpreter of an environment that has the package; made once. */
export function installedPython(): string {
  if (!existsSync(CACHE)) install();
  return join(CACHE, 'bin', 'python');
}

function install(): void {
  mkdirSync(dirname(CACHE), { recursive: true });
  const folder = mkdtempSync(`${CACHE}-`);
  try {
    run(process.env['PYTHON'] ?? 'python3', ['-m', 'venv', folder]);
    run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', PACKAGE]);
    renameSync(folder, CACHE);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(CACHE)) throw error;
  }
}

function run(command: string, args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  const why = error?.message ?? stderr;
  assert.equal(status, 0, `This test needs Python 3.9 with venv and pip. ${command}: ${why}`);
}
