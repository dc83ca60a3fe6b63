// The official Python package in an environment of its own. It needs Python 3.9 or newer with venv,
// as `python3` or named by PYTHON, and the network once: pip puts the package into .cache/python-sdk.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = 'sailpoint==2.1.72';
const CACHE = join('.cache', 'python-sdk', PACKAGE.replace('==', '-'));

/** The interpreter of an environment that has the package; made once. */
export function installedPython(): string {
  const python = join(CACHE, 'bin', 'python');
  // Written last, so that an installation that was cut short is done anew.
  if (existsSync(join(CACHE, 'whole'))) return python;
  rmSync(CACHE, { recursive: true, force: true });
  run(process.env['PYTHON'] ?? 'python3', ['-m', 'venv', CACHE]);
  run(python, ['-m', 'pip', 'install', '--quiet', PACKAGE]);
  writeFileSync(join(CACHE, 'whole'), '');
  return python;
}

function run(command: string, args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  const why = error?.message ?? stderr;
  assert.equal(status, 0, `This test needs Python 3.9 with venv and pip. ${command}: ${why}`);
}
