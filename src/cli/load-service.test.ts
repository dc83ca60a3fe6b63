// The folder of compiled code: only where nobody else could put code that Node would run.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { privateFolder } from './load-service.ts';

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
