import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashOf } from './backup.ts';

test('the hash of a file is read in parts, and its progress told after each', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cardea-hash-'));
  try {
    const path = join(directory, 'file');
    const bytes = Buffer.alloc(2.5 * 2 ** 20, 'abc');
    writeFileSync(path, bytes);
    const progress: [string, number, number][] = [];
    const hash = await hashOf(path, 'Checking', {
      progress: (...told) => void progress.push(told),
    });
    assert.equal(hash, createHash('sha256').update(bytes).digest('hex'));
    assert.deepEqual(
      progress,
      [2 ** 20, 2 ** 21, bytes.length].map((done) => ['Checking', done, bytes.length]),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
