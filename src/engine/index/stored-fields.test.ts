import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceDocument, testMapping } from '../../../test/support/segments.ts';
import { ByteCache } from './byte-cache.ts';
import { CorruptSegmentError } from './corrupt-segment-error.ts';
import type { StoredFields } from './segment.ts';
import { openSegment } from './segment-reader.ts';
import { buildSegment } from './segment-writer.ts';
import { BLOCK_BYTES, type DocumentBlock } from './stored-fields.ts';

const MAPPING = testMapping({ id: 'keyword', name: 'text', 'accounts.name': 'text' }, ['accounts']);
const FILES = buildSegment(
  's',
  MAPPING,
  ['a', 'b', 'c'].map((id) =>
    sourceDocument(id, { name: `Ada ${id}`, ...(id !== 'c' && { accounts: [{ name: 'x' }] }) }, [
      'accounts',
    ]),
  ),
);
const decoder = new TextDecoder();

/** The stored fields of a file, and what was read of it: offset and length. */
function opened(
  cacheBytes: number | null,
  inMemory = false,
  change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): { readonly fields: StoredFields; readonly reads: [number, number][] } {
  const reads: [number, number][] = [];
  const reader = {
    inMemory,
    read(offset: number, length: number) {
      reads.push([offset, length]);
      return change(FILES.sources.slice(offset, offset + length));
    },
  };
  const sourceCache = new ByteCache<DocumentBlock>(cacheBytes ?? 0);
  const segment = openSegment('s', FILES.index, reader, cacheBytes === null ? {} : { sourceCache });
  return { fields: segment.sources, reads };
}

const texts = (fields: StoredFields, row: number) => {
  const { root, nested } = fields.parts(row, true);
  return [decoder.decode(nested ?? undefined), decoder.decode(root)];
};

test('reads both parts of a document at once, and only the root if that is all', () => {
  const { fields, reads } = opened(null);
  assert.deepEqual(texts(fields, 1), ['"accounts":[{"name":"x"}]', '{"id":"b","name":"Ada b"}']);
  assert.equal(reads.length, 1);
  assert.equal(decoder.decode(fields.root(0)), '{"id":"a","name":"Ada a"}');
  assert.deepEqual(reads[1], [0, '{"id":"a","name":"Ada a"}'.length]);
  assert.deepEqual(texts(fields, 2), ['', '{"id":"c","name":"Ada c"}']);
  assert.equal(reads.length, 3);
});

test('reads neighbouring documents once, and both their parts with them', () => {
  const { fields, reads } = opened(100_000);
  for (let times = 0; times < 3; times++) {
    for (const row of [2, 0, 1]) fields.root(row);
    assert.deepEqual(texts(fields, 1), ['"accounts":[{"name":"x"}]', '{"id":"b","name":"Ada b"}']);
  }
  assert.deepEqual(reads, [[0, FILES.sources.length]]);
});

test('reads a document alone if its block does not fit into the cache', () => {
  const { fields, reads } = opened(10);
  for (const row of [0, 0, 1]) texts(fields, row);
  assert.equal(reads.length, 3);
});

test('reads again what was dropped', () => {
  const { fields, reads } = opened(100_000);
  fields.root(0);
  fields.drop();
  fields.root(0);
  assert.equal(reads.length, 2);
});

test('a damaged document of a block does not spoil the others', () => {
  const { fields } = opened(100_000, false, (bytes) => {
    bytes[2] = 0x21;
    return bytes;
  });
  for (let times = 0; times < 2; times++) {
    assert.throws(() => fields.root(0), CorruptSegmentError);
    assert.equal(decoder.decode(fields.root(2)), '{"id":"c","name":"Ada c"}');
  }
});

test('documents of all lengths are found in their blocks', () => {
  const lengths = [10, 9_000, 20_000, 50_000, 3, 3, 100_000, BLOCK_BYTES - 20, 1, 1, 40_000];
  const documents = lengths.map((length, row) =>
    sourceDocument(`r${String(row).padStart(2, '0')}`, { name: 'x'.repeat(length) }, []),
  );
  const files = buildSegment('s', MAPPING, documents);
  const sourceCache = new ByteCache<DocumentBlock>(10_000_000);
  const reader = {
    inMemory: false,
    read: (offset: number, length: number) => files.sources.slice(offset, offset + length),
  };
  const { sources } = openSegment('s', files.index, reader, { sourceCache });
  for (const row of [10, 3, 0, 6, 7, 8, 9, 1, 2, 4, 5]) {
    const { name } = JSON.parse(decoder.decode(sources.root(row))) as { name: string };
    assert.equal(name.length, lengths[row]);
  }
});

test('caches nothing of a file that is in memory', () => {
  const { fields, reads } = opened(100_000, true);
  fields.root(0);
  fields.root(0);
  assert.equal(reads.length, 2);
});
