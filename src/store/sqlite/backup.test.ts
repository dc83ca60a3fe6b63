import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../test/support/empty-store.ts';
import { hashOf } from './backup.ts';

test('the hash of a file is read in parts, and its progress told after each', async () => {
  const path = join(temporaryFolder(), 'file');
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
});
