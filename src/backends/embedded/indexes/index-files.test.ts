import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { createCaches } from './cache-sizes.ts';
import { IndexFiles } from './index-files.ts';
import type { IndexSet } from './index-set.ts';

const SILENT = { warn: () => {} };
const newCaches = () =>
  createCaches({ documents: 1_000, positions: 1_000, queries: 1_000, results: 1_000 });

test('writes the manifest after its file names are durable, and removes files after the manifest is durable', async () => {
  const path = mkdtempSync(join(tmpdir(), 'index-files-'));
  try {
    const files = new IndexFiles({ path });
    const set = await files.load(0, SILENT, newCaches());
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

const AHEAD: readonly (readonly [what: string, change: (set: IndexSet) => void])[] = [
  ['has later changes', (set) => (set.sequence = 5)],
  ['needs no deletion of later changes', (set) => (set.covered = 5)],
  ['was to be filled up to a later change', (set) => (set.rebuildUntil = 5)],
  [
    'had an index that was to be filled up to a later change',
    (set) => (set.getOrCreate('t', 'roles').rebuildUntil = 5),
  ],
];
for (const [what, change] of AHEAD) {
  test(`an index that ${what} than the store has is discarded, and filled up to its last change`, async () => {
    const path = mkdtempSync(join(tmpdir(), 'index-files-'));
    try {
      const files = new IndexFiles({ path });
      const set = await files.load(0, SILENT, newCaches());
      set.getOrCreate('t', 'roles');
      change(set);
      await files.write(set);
      const warnings: string[] = [];
      const log = { warn: ({ err }: { readonly err: Error }) => warnings.push(err.message) };
      const loaded = await files.load(4, log as never, newCaches());
      assert.match(warnings.join(), /the store is older than the index, its last change is 4/);
      assert.deepEqual([loaded.sequence, loaded.rebuildUntil], [0, 4]);
    } finally {
      rmSync(path, { recursive: true });
    }
  });
}
