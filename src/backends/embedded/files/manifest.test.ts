import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import {
  decodeManifest,
  encodeManifest,
  FORMAT,
  filesOf,
  isIndexFile,
  type Manifest,
} from './manifest.ts';

const MANIFEST: Manifest = {
  format: FORMAT,
  sequence: 42,
  nextNumber: 9,
  rebuildUntil: null,
  indexes: [
    {
      tenantId: 'acme',
      index: 'roles',
      rebuildUntil: 50,
      segments: [
        {
          name: 's7',
          indexBytes: 100,
          indexFooter: 1,
          sourcesBytes: 200,
          liveDocs: { file: 's7-8.live', checksum: 2, liveCount: 3 },
        },
        { name: 's5', indexBytes: 1, indexFooter: 1, sourcesBytes: 2, liveDocs: null },
      ],
    },
  ],
};

test('decodes what it encoded', () => {
  assert.deepEqual(decodeManifest(encodeManifest(MANIFEST)), MANIFEST);
});

test('rejects a manifest with any flipped bit or cut at any byte', () => {
  const bytes = encodeManifest(MANIFEST);
  for (let at = 0; at < bytes.length - 1; at++) {
    const flipped = bytes.slice();
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    assert.throws(() => decodeManifest(flipped), CorruptSegmentError, `bit in byte ${at}`);
    assert.throws(() => decodeManifest(bytes.slice(0, at)), CorruptSegmentError, `cut at ${at}`);
  }
});

test('rejects another format', () => {
  const bytes = encodeManifest({ ...MANIFEST, format: FORMAT + 1 });
  assert.throws(
    () => decodeManifest(bytes),
    new RegExp(`format ${FORMAT + 1} instead of ${FORMAT}`),
  );
});

test('lists all its files, each of which is an index file', () => {
  assert.deepEqual(
    [...filesOf(MANIFEST)].sort(),
    ['manifest.json', 's5.index', 's5.sources', 's7-8.live', 's7.index', 's7.sources'].sort(),
  );
  const indexFiles = [...filesOf(MANIFEST)].filter(isIndexFile);
  assert.equal(indexFiles.length, 5);
  for (const other of ['lock.db', 'lock.db-journal', 'notes.txt', 'manifest.json']) {
    assert.equal(isIndexFile(other), false, other);
  }
});
