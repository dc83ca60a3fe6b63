import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32 as native } from 'node:zlib';
import fc from 'fast-check';
import { sourceDocument, testMapping } from '../../../test/support/segments.ts';
import { crc32 } from './checksum.ts';
import { CorruptSegmentError } from './corrupt-segment-error.ts';
import { byte4ToInt, intToByte4 } from './norms.ts';
import { memorySource, openSegment } from './segment-reader.ts';
import { buildSegment } from './segment-writer.ts';

const mapping = testMapping({ id: 'keyword', name: 'text', 'accounts.name': 'text' }, ['accounts']);
const files = buildSegment(
  's',
  mapping,
  ['a', 'b', 'c'].map((id) =>
    sourceDocument(id, { name: `Ada ${id}`, accounts: [{ name: 'x' }] }, ['accounts']),
  ),
);

test('the checksum is that of zlib', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      assert.equal(crc32(bytes), native(bytes));
    }),
  );
});

test('a bit flipped anywhere in the index is found on opening', () => {
  for (let at = 0; at < files.index.length; at++) {
    const damaged = files.index.slice();
    damaged[at]! ^= 1 << (at % 8);
    const open = () => openSegment('s', damaged, memorySource(files.sources));
    assert.throws(open, CorruptSegmentError, `byte ${at}`);
  }
});

test('an index cut short anywhere, or with bytes behind it, is found on opening', () => {
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

test('a bit flipped in the sources is found by whoever reads that source, and only then', () => {
  for (let at = 0; at < files.sources.length; at++) {
    const damaged = files.sources.slice();
    damaged[at]! ^= 1 << (at % 8);
    const { sources, docCount } = openSegment('s', files.index, memorySource(damaged));
    const good = openSegment('s', files.index, memorySource(files.sources)).sources;
    let faults = 0;
    for (let row = 0; row < docCount; row++) {
      for (const part of ['root', 'nested'] as const) {
        try {
          assert.deepEqual(sources[part](row), good[part](row));
        } catch (error) {
          assert.ok(error instanceof CorruptSegmentError);
          faults += 1;
        }
      }
    }
    assert.equal(faults, 1, `byte ${at}`);
  }
});

test('sources cut short are found on opening, or by reading where the length is not known', () => {
  const cut = files.sources.slice(0, -1);
  assert.throws(() => openSegment('s', files.index, memorySource(cut)), CorruptSegmentError);
  const read = (offset: number, length: number) => cut.subarray(offset, offset + length);
  const { sources } = openSegment('s', files.index, { read });
  assert.throws(() => sources.nested(2), CorruptSegmentError);
});

test('an index that does not stand at a multiple of 8 is opened all the same', () => {
  const shifted = new Uint8Array(files.index.length + 3).subarray(3);
  shifted.set(files.index);
  assert.equal(openSegment('s', shifted, memorySource(files.sources)).ids.term(2), 'c');
});

test('norms are those of Lucene', () => {
  for (let length = 0; length <= 40; length++) assert.equal(byte4ToInt(intToByte4(length)), length);
  const known = [40, 42, 44, 46, 48, 50, 52, 54, 56, 60, 64, 68, 72, 76, 80, 84, 88, 96, 104];
  for (const [i, length] of known.entries()) assert.equal(byte4ToInt(40 + i), length);
  for (let byte = 0; byte < 256; byte++) assert.equal(intToByte4(byte4ToInt(byte)), byte);
  assert.equal(byte4ToInt(intToByte4(1000)), 984);
  assert.equal(intToByte4(2 ** 31 - 1), 255);
  assert.equal(byte4ToInt(255), 2013265944);
});
