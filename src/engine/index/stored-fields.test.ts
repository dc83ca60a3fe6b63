import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { mergeSegments, sourceDocument, testMapping } from '../../../test/support/segments.ts';
import { ByteCache } from '../sections/byte-cache.ts';
import { CorruptSegmentError } from '../sections/corrupt-segment-error.ts';
import type { StoredFields } from '../sections/segment.ts';
import { memorySource, openSegment } from './segment-reader.ts';
import { buildSegment } from './segment-writer.ts';
import {
  BLOCK_BYTES,
  type Compression,
  type DocumentBlock,
  FIRST_BLOCK_BYTES,
  PLAIN_CODEC,
} from './stored-fields.ts';

const MAPPING = testMapping({ id: 'keyword', name: 'text', 'accounts.name': 'text' }, ['accounts']);
const FILES = buildSegment(
  MAPPING,
  ['a', 'b', 'c'].map((id) =>
    sourceDocument(id, { name: `Ada ${id}`, ...(id !== 'c' && { accounts: [{ name: 'x' }] }) }, [
      'accounts',
    ]),
  ),
);
const decoder = new TextDecoder();
const withDictionary = (dictionary: Uint8Array | null) =>
  dictionary === null ? {} : { dictionary };
const DEFLATE: Compression = {
  name: 'deflate',
  compress: (bytes, dictionary) => deflateRawSync(bytes, withDictionary(dictionary)),
  decompress: (bytes, length, dictionary) =>
    inflateRawSync(bytes, { ...withDictionary(dictionary), maxOutputLength: length }),
};

/** The stored fields of a file, and what was read of it: offset and length. */
function opened(
  cacheBytes: number | null,
  change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): {
  readonly fields: StoredFields;
  readonly reads: [number, number][];
  readonly cache: ByteCache<DocumentBlock>;
} {
  const reads: [number, number][] = [];
  const reader = {
    read(offset: number, length: number) {
      reads.push([offset, length]);
      return change(FILES.sources.slice(offset, offset + length));
    },
  };
  const sourceCache = new ByteCache<DocumentBlock>(cacheBytes ?? 0);
  const segment = openSegment('s', FILES.index, reader, cacheBytes === null ? {} : { sourceCache });
  return { fields: segment.sources, reads, cache: sourceCache };
}

const texts = (fields: StoredFields, row: number) => {
  const { bytes, rootLength } = fields.document(row, true);
  return [
    decoder.decode(bytes.subarray(rootLength)),
    decoder.decode(bytes.subarray(0, rootLength)),
  ];
};

/** Documents of some 4 KB. */
const longDocuments = (count: number) =>
  Array.from({ length: count }, (_, row) =>
    sourceDocument(`r${row + 100}`, { name: 'x'.repeat(4_000) }, []),
  );

test('without a cache reads documents in order with one read for all of a block', () => {
  const { fields, reads } = opened(null);
  assert.equal(decoder.decode(fields.root(0)), '{"id":"a","name":"Ada a"}');
  assert.deepEqual(texts(fields, 1), ['"accounts":[{"name":"x"}]', '{"id":"b","name":"Ada b"}']);
  assert.deepEqual(texts(fields, 2), ['', '{"id":"c","name":"Ada c"}']);
  assert.deepEqual(reads, [[0, FILES.sources.length]]);
});

test('reads neighbouring documents once, and both their parts with them', () => {
  const { fields, reads } = opened(100_000);
  for (let times = 0; times < 3; times++) {
    for (const row of [2, 0, 1]) fields.root(row);
    assert.deepEqual(texts(fields, 1), ['"accounts":[{"name":"x"}]', '{"id":"b","name":"Ada b"}']);
  }
  assert.deepEqual(reads, [[0, FILES.sources.length]]);
});

test('reads a block again that does not fit into the cache', () => {
  const { fields, reads } = opened(10);
  for (const row of [0, 0, 1]) texts(fields, row);
  assert.equal(reads.length, 3);
});

test('without the cache of its segment a search that still runs reads a block once more', () => {
  const { fields, reads, cache } = opened(100_000);
  fields.root(0);
  assert.ok(cache.figures.bytes > 0);
  fields.uncache();
  for (const row of [0, 0, 1]) fields.root(row);
  assert.equal(reads.length, 2);
  assert.equal(cache.figures.bytes, 0);
});

test('a damaged block spoils only its own documents', () => {
  const { index, sources } = buildSegment(MAPPING, longDocuments(40));
  sources[sources.length - 1]! ^= 1;
  const sourceCache = new ByteCache<DocumentBlock>(10_000_000);
  const segment = openSegment('s', index, memorySource(sources), { sourceCache });
  for (let times = 0; times < 2; times++) {
    assert.throws(() => segment.sources.root(39), /checksum of sources/);
    for (let row = 0; row < 38; row++) assert.equal(segment.sources.root(row)[0], 0x7b);
  }
});

for (const compression of [PLAIN_CODEC.compression, DEFLATE]) {
  test(`documents of all lengths are found in their blocks, compression ${compression.name}`, () => {
    const lengths = [10, 9_000, 20_000, 50_000, 3, 3, 300_000, BLOCK_BYTES - 20, 1, 1, 40_000];
    const documents = lengths.map((length, row) =>
      sourceDocument(`r${String(row).padStart(2, '0')}`, { name: 'x'.repeat(length) }, []),
    );
    const files = buildSegment(MAPPING, documents, { ...PLAIN_CODEC, compression });
    const sourceCache = new ByteCache<DocumentBlock>(10_000_000);
    for (const options of [{ compression, sourceCache }, { compression }]) {
      const { sources } = openSegment('s', files.index, memorySource(files.sources), options);
      for (const row of [10, 3, 0, 6, 7, 8, 9, 1, 2, 4, 5]) {
        const { name } = JSON.parse(decoder.decode(sources.root(row))) as { name: string };
        assert.equal(name.length, lengths[row]);
      }
    }
  });
}

test('what merging writes is what building writes, whatever the blocks of the parts were', () => {
  const documents = Array.from({ length: 60 }, (_, row) =>
    sourceDocument(`r${row + 10}`, { name: `${row} `.repeat(200 * (row % 7)) }, []),
  );
  const codec = { ...PLAIN_CODEC, compression: DEFLATE };
  const parts = [0, 1, 2].map((part) => {
    const own = documents.filter((_, row) => row % 3 === part);
    const files = buildSegment(MAPPING, own, codec);
    const segment = openSegment('p', files.index, memorySource(files.sources), codec);
    return { segment, liveDocs: null, liveCount: own.length };
  });
  const merged = mergeSegments(MAPPING, parts, codec);
  const built = buildSegment(MAPPING, documents, codec);
  assert.deepEqual(merged.sources, built.sources);
  assert.ok(built.sources.length < documents.reduce((sum, { root }) => sum + root.length, 0) / 10);
});

test('blocks are compressed with the first one as dictionary', () => {
  const lengths: (number | null)[] = [];
  const compression: Compression = {
    ...PLAIN_CODEC.compression,
    compress(bytes, dictionary) {
      lengths.push(dictionary?.length ?? null);
      return bytes;
    },
  };
  buildSegment(MAPPING, longDocuments(100), { ...PLAIN_CODEC, compression });
  const [first, ...others] = lengths;
  assert.equal(first, null);
  assert.ok(others.length > 50);
  assert.deepEqual(new Set(others), new Set([FIRST_BLOCK_BYTES]));
});

for (const [damage, change] of [
  ['other bytes', (bytes: Uint8Array) => bytes.fill(7)],
  ['half of the bytes', (bytes: Uint8Array) => bytes.subarray(bytes.length / 2)],
  ['no bytes', () => new Uint8Array(0)],
] as const) {
  test(`${damage} in place of a compressed block are a corrupt segment`, () => {
    const codec = { ...PLAIN_CODEC, compression: DEFLATE };
    const files = buildSegment(MAPPING, [sourceDocument('a', { name: 'Ada' }, [])], codec);
    const reader = { read: () => change(files.sources.slice()) };
    const { sources } = openSegment('s', files.index, reader, codec);
    assert.throws(() => sources.root(0), CorruptSegmentError);
  });
}

test('a segment is not opened with another compression than it was written with', () => {
  assert.throws(
    () => openSegment('s', FILES.index, memorySource(FILES.sources), { compression: DEFLATE }),
    CorruptSegmentError,
  );
});
