import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32 as native } from 'node:zlib';
import fc from 'fast-check';
import { sourceDocument, testMapping } from '../../../test/support/segments.ts';
import { byte4ToInt, intToByte4 } from '../fields/norms.ts';
import type { SegmentContents } from '../index/segment-contents.ts';
import { memorySource, openSegment } from '../index/segment-reader.ts';
import { buildSegment } from '../index/segment-writer.ts';
import { ByteCache } from './byte-cache.ts';
import { crc32 } from './checksum.ts';
import { checkSections, SectionReader, SectionWriter } from './codec.ts';
import { CorruptSegmentError } from './corrupt-segment-error.ts';
import { MemorySink, memoryIndex } from './index-source.ts';
import { PAGE_BYTES } from './paged-section.ts';
import type { PagedRef } from './section-ref.ts';
import { NO_MORE_DOCS, type Postings, type TermDictionary, type WordIndex } from './segment.ts';

const mapping = testMapping({ id: 'keyword', name: 'text', 'accounts.name': 'text' }, ['accounts']);
const files = buildSegment(
  mapping,
  ['a', 'b', 'c'].map((id) =>
    sourceDocument(id, { name: `Ada ${id}`, accounts: [{ name: 'x' }] }, ['accounts']),
  ),
);

test('the checksum equals that of zlib', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      assert.equal(crc32(bytes), native(bytes));
    }),
  );
});

/** Reads everything in a segment. */
function everything(index: Uint8Array, sources: Uint8Array): unknown {
  const segment = openSegment('s', index, memorySource(sources));
  const words = (structure: WordIndex | undefined) =>
    structure && [termsOf(structure.terms), [...structure.norms]];
  const lists = (structure: { postings(ord: number): Postings }, size: number) =>
    Array.from({ length: size }, (_, ord) => rowsOf(structure.postings(ord)));
  const { catchAll, docCount } = segment;
  return [
    [termsOf(segment.ids), [...segment.versions]],
    [words(catchAll.words), lists(catchAll.words, catchAll.words.terms.size)],
    [termsOf(catchAll.folded.terms), lists(catchAll.folded, catchAll.folded.terms.size)],
    [segment.root, ...segment.nested.values()].map((table) => [
      [...(table.parent ?? []), ...(table.firstRow ?? [])],
      [...mapping.fields.keys()].map((field) => {
        const text = table.words(field);
        const values = table.values(field);
        return [
          [words(text), text && lists(text, text.terms.size)],
          values && [termsOf(values.exact), termsOf(values.folded), [...values.ords]],
          values && [[...values.foldedStart], [...values.foldedToExact]],
          values && lists(values, values.exact.size),
        ];
      }),
    ]),
    Array.from({ length: docCount }, (_, row) => [
      ...[...segment.sources.root(row), ...segment.sources.nested(row)],
    ]),
  ];
}

const termsOf = (terms: TermDictionary) =>
  Array.from({ length: terms.size }, (_, ord) => terms.term(ord));

function rowsOf(postings: Postings): number[][] {
  const rows: number[][] = [];
  while (postings.nextDoc() !== NO_MORE_DOCS) rows.push([postings.docId(), postings.freq()]);
  return rows;
}

test('a flipped bit in the index is detected when it is read, or has no effect', () => {
  const intact = everything(files.index, files.sources);
  let detected = 0;
  for (let at = 0; at < files.index.length; at++) {
    const damaged = files.index.slice();
    damaged[at]! ^= 1 << (at % 8);
    try {
      assert.deepEqual(everything(damaged, files.sources), intact, `byte ${at}`);
    } catch (error) {
      assert.ok(error instanceof CorruptSegmentError, `byte ${at}: ${error}`);
      detected += 1;
    }
  }
  // There are up to seven bytes of padding between sections.
  assert.ok(detected > files.index.length * 0.8, `${detected} of ${files.index.length}`);
});

test('a damaged section does not prevent reading other sections', () => {
  const [offset] = contentsOf(files.index).ids.bytes;
  const damaged = files.index.slice();
  damaged[offset]! ^= 1;
  const segment = openSegment('s', damaged, memorySource(files.sources));
  assert.throws(() => segment.ids, CorruptSegmentError);
  assert.deepEqual([...segment.versions], [1, 1, 1]);
});

function contentsOf(index: Uint8Array): SegmentContents {
  return new SectionReader('s', memoryIndex(index, 'unknown'), crc32).contents as SegmentContents;
}

test('a paged section reads only the requested pages and verifies each page', () => {
  const bytes = Uint8Array.from({ length: 5 * PAGE_BYTES + 17 }, (_, i) => (i * i) % 251);
  const sink = new MemorySink();
  const sections = new SectionWriter(sink, crc32);
  sections.finish({ paged: sections.addPaged(bytes) });
  const file = sink.finish();
  const reads: number[] = [];
  const pieces = {
    cache: new ByteCache<Uint8Array>(PAGE_BYTES * 32).sectionOf({}),
    read(offset: number, length: number) {
      reads.push(length);
      return file.slice(offset, offset + length);
    },
  };
  const reader = new SectionReader('s', { ...memoryIndex(file, 'unknown'), pieces }, crc32);
  const { paged } = reader.contents as { paged: PagedRef };
  const ranges = reader.ranges(paged);
  const around = [0, 1, PAGE_BYTES - 1, PAGE_BYTES, 3 * PAGE_BYTES + 5, bytes.length - 1];
  for (const from of around) {
    for (const to of around.filter((end) => end > from)) {
      assert.deepEqual(Buffer.from(ranges.read(from, to)), Buffer.from(bytes.slice(from, to)));
    }
  }
  assert.deepEqual([...new Set(reads)], [PAGE_BYTES, 17]);
  assert.ok(reads.length < 10, 'pages stay in the cache');
  file[paged.bytes[0] + 4 * PAGE_BYTES]! ^= 1;
  const fresh = { ...pieces, cache: new ByteCache<Uint8Array>(0).sectionOf({}) };
  const again = new SectionReader('s', { ...memoryIndex(file, 'unknown'), pieces: fresh }, crc32);
  assert.equal(again.ranges(paged).read(0, 10).length, 10);
  assert.throws(() => again.ranges(paged).read(4 * PAGE_BYTES + 9, 4 * PAGE_BYTES + 10));
});

test('sections with the same bytes are written once', () => {
  const sink = new MemorySink();
  const sections = new SectionWriter(sink, crc32);
  const section = sections.add(Uint32Array.of(1, 2, 3));
  assert.deepEqual(sections.add(Uint32Array.of(1, 2, 3)), section);
  assert.notDeepEqual(sections.add(Uint32Array.of(3, 2, 1)), section);
  sections.finish({ section });
  const reader = new SectionReader('s', memoryIndex(sink.finish(), 'unknown'), crc32);
  assert.deepEqual([...reader.uint32(section)], [1, 2, 3]);
});

test('a truncated index, or one with trailing bytes, is rejected on opening', () => {
  for (let length = 0; length < files.index.length; length++) {
    const cut = files.index.slice(0, length);
    const open = () => openSegment('s', cut, memorySource(files.sources));
    assert.throws(open, CorruptSegmentError, `length ${length}`);
  }
  const longer = new Uint8Array(files.index.length + 8);
  longer.set(files.index);
  assert.throws(() => openSegment('s', longer, memorySource(files.sources)), CorruptSegmentError);
});

test('random bytes are not an index', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.throws(
        () => openSegment('s', bytes, memorySource(files.sources)),
        CorruptSegmentError,
      );
    }),
  );
});

test('a flipped bit in the sources is detected when a document of its block is read', () => {
  for (let at = 0; at < files.sources.length; at++) {
    const damaged = files.sources.slice();
    damaged[at]! ^= 1 << (at % 8);
    const { sources, docCount } = openSegment('s', files.index, memorySource(damaged));
    for (let row = 0; row < docCount; row++) {
      for (const part of ['root', 'nested'] as const) {
        assert.throws(() => sources[part](row), CorruptSegmentError, `byte ${at}`);
      }
    }
  }
});

test('truncated sources are detected on opening, or on reading if the length is unknown', () => {
  const cut = files.sources.slice(0, -1);
  assert.throws(() => openSegment('s', files.index, memorySource(cut)), CorruptSegmentError);
  const read = (offset: number, length: number) => cut.subarray(offset, offset + length);
  const { sources } = openSegment('s', files.index, { read });
  assert.throws(() => sources.nested(2), CorruptSegmentError);
});

test('an index opens at an offset that is not a multiple of 8', () => {
  const shifted = new Uint8Array(files.index.length + 3).subarray(3);
  shifted.set(files.index);
  assert.equal(openSegment('s', shifted, memorySource(files.sources)).ids.term(2), 'c');
});

test('norms equal those of Lucene', () => {
  for (let length = 0; length <= 40; length++) assert.equal(byte4ToInt(intToByte4(length)), length);
  const lengths = [40, 42, 44, 46, 48, 50, 52, 54, 56, 60, 64, 68, 72, 76, 80, 84, 88, 96, 104];
  for (const [i, length] of lengths.entries()) assert.equal(byte4ToInt(40 + i), length);
  for (let byte = 0; byte < 256; byte++) assert.equal(intToByte4(byte4ToInt(byte)), byte);
  assert.equal(byte4ToInt(intToByte4(1000)), 984);
  assert.equal(intToByte4(2 ** 31 - 1), 255);
  assert.equal(byte4ToInt(255), 2013265944);
});

test('checking a whole file detects a damaged byte that no query reads', () => {
  const sink = new MemorySink();
  const writer = new SectionWriter(sink, crc32);
  const refs = [Uint8Array.of(1, 2, 3), Float64Array.of(4, 5), new Uint8Array(0)].map((array) =>
    writer.add(array),
  );
  writer.finish({ refs });
  const sound = sink.finish();
  for (const _ of checkSections('s', memoryIndex(sound, 'unknown'), crc32));
  for (const [offset, count] of refs.slice(0, 2)) {
    const damaged = sound.slice();
    damaged[offset + count - 1]! ^= 1;
    assert.throws(
      () => [...checkSections('s', memoryIndex(damaged, 'unknown'), crc32)],
      CorruptSegmentError,
    );
  }
});
