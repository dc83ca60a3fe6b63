import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceDocument, testMapping } from '../../../test/support/segments.ts';
import { ByteCache } from './byte-cache.ts';
import type { DocumentParts, StoredFields } from './segment.ts';
import { openSegment } from './segment-reader.ts';
import { buildSegment } from './segment-writer.ts';

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
): { readonly fields: StoredFields; readonly reads: [number, number][] } {
  const reads: [number, number][] = [];
  const reader = {
    inMemory,
    read(offset: number, length: number) {
      reads.push([offset, length]);
      return FILES.sources.slice(offset, offset + length);
    },
  };
  const sourceCache = new ByteCache<DocumentParts>(cacheBytes ?? 0);
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

test('reads a cached document again only for a part that is not cached', () => {
  const { fields, reads } = opened(100_000);
  for (const row of [0, 1, 2]) fields.root(row);
  for (const row of [0, 1, 2]) fields.root(row);
  assert.equal(reads.length, 3);
  for (let times = 0; times < 3; times++) for (const row of [0, 1, 2]) texts(fields, row);
  assert.equal(reads.length, 6);
});

test('caches nothing of a file that is in memory', () => {
  const { fields, reads } = opened(100_000, true);
  fields.root(0);
  fields.root(0);
  assert.equal(reads.length, 2);
});
