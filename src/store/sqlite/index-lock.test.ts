import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { acquireIndexLock } from './index-lock.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cardea-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Starts another process that takes the lock and keeps it. */
async function holder(): Promise<ChildProcess> {
  const script = `
    const { acquireIndexLock } = await import(${JSON.stringify(new URL('./index-lock.js', import.meta.url).href)});
    const lock = await acquireIndexLock(${JSON.stringify(directory)});
    process.stdout.write(lock === null ? 'refused' : 'held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  assert.equal(String(output), 'held');
  return child;
}

test('the lock has one holder at a time, and can be taken after a release', async () => {
  const first = await acquireIndexLock(directory);
  assert.ok(first);
  assert.equal(await acquireIndexLock(directory), null);
  first.release();
  const second = await acquireIndexLock(directory);
  assert.ok(second);
  second.release();
});

test('excludes another process; killing the holder with kill -9 frees the lock', async () => {
  const child = await holder();
  try {
    assert.equal(await acquireIndexLock(directory), null);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const lock = await acquireIndexLock(directory);
  assert.ok(lock);
  lock.release();
});

test('a lock that another program wrote into is emptied and taken', async () => {
  writeFileSync(join(directory, 'lock.db'), 'no database '.repeat(100));
  const lock = await acquireIndexLock(directory);
  assert.ok(lock);
  lock.release();
});

test('creates a missing directory', async () => {
  const lock = await acquireIndexLock(join(directory, 'a', 'index'));
  assert.ok(lock);
  lock.release();
});
