import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { ByteCache } from '../../../engine/sections/byte-cache.ts';
import { createCaches } from './cache-sizes.ts';
import { IndexFiles } from './index-files.ts';

const SILENT = { warn: () => {} };

test('writes the manifest after its file names are durable, and removes files after the manifest is durable', async () => {
  const path = mkdtempSync(join(tmpdir(), 'index-files-'));
  try {
    const files = new IndexFiles({ path });
    const caches = {
      ...createCaches({ documents: 1_000, positions: 1_000, queries: 1_000 }),
      results: new ByteCache<unknown, string>(1_000),
    };
    const set = await files.load(0, SILENT, caches);
    await files.directory.write('s7.index', [new Uint8Array(1)]);
    const steps: string[] = [];
    const { directory } = files;
    const { write, sync, remove } = directory;
    Object.assign(directory, {
      write(name: string, parts: readonly Uint8Array[]) {
        steps.push(`write ${name}`);
        return write.call(directory, name, parts);
      },
      sync() {
        steps.push('sync');
        return sync.call(directory);
      },
      remove(name: string) {
        steps.push(`remove ${name}`);
        return remove.call(directory, name);
      },
    });
    await files.write(set, 5);
    assert.deepEqual(steps, ['sync', 'write manifest.json', 'sync', 'remove s7.index']);
    assert.equal(set.sequence, 5);
  } finally {
    rmSync(path, { recursive: true });
  }
});
