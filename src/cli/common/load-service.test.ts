// The folder of compiled code: only where nobody else could put code that Node would run.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { createDataDirectory, privateFolder } from './load-service.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cardea-load-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test('creates a folder for its owner only', () => {
  const folder = privateFolder(dataDir);
  assert.equal(folder, join(dataDir, 'compile-cache'));
  assert.equal(statSync(String(folder)).mode & 0o7777, 0o700);
  assert.equal(privateFolder(dataDir), folder);
});

test('creates none in a data directory that others can read', () => {
  chmodSync(dataDir, 0o755);
  assert.equal(privateFolder(dataDir), null);
  assert.equal(existsSync(join(dataDir, 'compile-cache')), false);
});

test('does not use a folder that others can write to', () => {
  mkdirSync(join(dataDir, 'compile-cache'));
  chmodSync(join(dataDir, 'compile-cache'), 0o770);
  assert.equal(privateFolder(dataDir), null);
});

test('creates a data directory with those above it, for its owner only', () => {
  const path = join(dataDir, 'a', 'b');
  createDataDirectory(path);
  createDataDirectory(path);
  assert.equal(statSync(path).mode & 0o7777, 0o700);
});

test('says which data directory cannot be used, and why', () => {
  const file = join(dataDir, 'file');
  writeFileSync(file, '');
  const cases: readonly (readonly [string, RegExp])[] = [
    [file, /^The data directory .*file cannot be used: it is a file\. Choose .* --data-dir/],
    [join(file, 'below'), /cannot be used: a part of the path is a file/],
    ['/proc/nope', /^The data directory \/proc\/nope cannot be used: it cannot be created there/],
    ['/sys/nope', /^The data directory \/sys\/nope cannot be used: (permission denied|the file)/],
  ];
  for (const [path, message] of cases) {
    assert.throws(() => createDataDirectory(path), { message });
  }
});
