import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { mergeSegments, sourceDocument, testMapping } from '../../../../test/support/segments.ts';
import { memorySource, openSegment } from '../../../engine/index/segment-reader.ts';
import { buildSegment } from '../../../engine/index/segment-writer.ts';
import { ByteCache } from '../../../engine/sections/byte-cache.ts';
import { CorruptSegmentError } from '../../../engine/sections/corrupt-segment-error.ts';
import { liveView, withDeleted } from '../../../engine/sections/live-docs.ts';
import { NO_MORE_DOCS, type Segment } from '../../../engine/sections/segment.ts';
import { runJob } from '../building/run-job.ts';
import { SEGMENT_CODEC } from './segment-codec.ts';
import { diskIndexFile, type IndexHandle, searchSource } from './segment-index.ts';

const NESTED = ['accounts'];
const mapping = testMapping(
  { id: 'keyword', name: 'text', 'accounts.id': 'keyword', size: 'long' },
  NESTED,
);
const files = (from: number, to: number) =>
  buildSegment(
    mapping,
    Array.from({ length: to - from }, (_, i) => {
      const name = `all of them, number ${from + i}, and all again`;
      const accounts = [{ id: `a${from + i}` }, { id: 'same' }];
      return sourceDocument(`d${from + i}`, { name, accounts, size: i }, NESTED, i);
    }),
    SEGMENT_CODEC,
  );
const built = files(0, 700);

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cardea-index-'));
  path = join(directory, 's.index');
  writeFileSync(path, built.index);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (handle: IndexHandle, cacheBytes = 2 ** 20): Segment =>
  openSegment(
    's',
    searchSource('s', handle, new ByteCache(cacheBytes)),
    memorySource(built.sources),
    SEGMENT_CODEC,
  );
/** Number of sections in memory. */
const present = (handle: IndexHandle): number =>
  handle.kind === 'memory' ? -1 : handle.sound.reduce((sum, one) => sum + one, 0);

function allPositions(segment: Segment, word: string): number[][] {
  const words = segment.root.words('name')!;
  const postings = words.postings(words.terms.find(word));
  const positions: number[][] = [];
  while (postings.nextDoc() !== NO_MORE_DOCS) {
    positions.push(Array.from({ length: postings.freq() }, () => postings.nextPosition()));
  }
  return positions;
}

test('opening reads no section, and a query only the ones it needs', () => {
  const { handle } = diskIndexFile('s', path);
  const segment = open(handle);
  assert.equal(segment.docCount, 700);
  assert.equal(present(handle), 0);
  assert.equal(segment.ids.term(0), 'd0');
  assert.equal(present(handle), 2);
  const values = segment.root.values('id')!;
  assert.equal(present(handle), 2);
  values.exact.find('d1');
  assert.equal(present(handle), 2, 'the ids are the values of the field, byte for byte');
  segment.root.numbers('size', 'value')?.values.at(0);
  assert.equal(present(handle), 3);
});

test('a section that one thread has read is not read again by others', () => {
  const { handle } = diskIndexFile('s', path);
  const first = open(handle);
  first.root.words('name')?.terms.find('all');
  // As in another thread: new views of the same memory. Its own read of the table of contents needs
  // the file.
  const other = open(structuredClone(handle));
  rmSync(path);
  assert.equal(other.root.words('name')?.terms.term(0), first.root.words('name')?.terms.term(0));
  assert.throws(() => other.versions, CorruptSegmentError);
});

test('positions are the same from memory, from the file, and without a page cache', () => {
  const memory = open({ kind: 'memory', bytes: built.index });
  const expected = allPositions(memory, 'all');
  assert.deepEqual(expected[0], [0, 6]);
  assert.equal(expected.length, 700);
  for (const cacheBytes of [2 ** 20, 0]) {
    assert.deepEqual(
      allPositions(open(diskIndexFile('s', path).handle, cacheBytes), 'all'),
      expected,
    );
    assert.deepEqual(
      allPositions(open(diskIndexFile('s', path).handle, cacheBytes), '17'),
      allPositions(memory, '17'),
    );
  }
});

test('a file that is not an index, missing or cut is a damaged segment', () => {
  writeFileSync(path, built.index.slice(0, -1));
  assert.throws(() => diskIndexFile('s', path), CorruptSegmentError);
  writeFileSync(path, 'x');
  assert.throws(() => diskIndexFile('s', path), CorruptSegmentError);
  rmSync(path);
  assert.throws(() => diskIndexFile('s', path), CorruptSegmentError);
});

test('a merge of files writes the same bytes as a merge in memory', () => {
  const other = files(700, 900);
  const sources = { kind: 'memory', bytes: built.sources } as const;
  const parts = [
    { ...diskIndexFile('s', path), name: 's', sources, bits: null },
    {
      handle: { kind: 'memory', bytes: other.index } as const,
      name: 't',
      sources: { kind: 'memory', bytes: other.sources } as const,
      bits: null,
    },
  ];
  const views = [built, other].map(({ index, sources: bytes }) =>
    liveView(openSegment('s', index, memorySource(bytes), SEGMENT_CODEC)),
  );
  const first = withDeleted(views[0]!, [3, 600]);
  const merged = mergeSegments(mapping, [first, views[1]!], SEGMENT_CODEC);
  const paths = { index: join(directory, 'm.index'), sources: join(directory, 'm.sources') };
  const answer = runJob({
    ...{ kind: 'merge', name: 'm', mapping, paths },
    parts: parts.map(({ name, handle, sources: from }, i) => ({
      ...{ name, index: handle, sources: from },
      liveDocs: i === 0 ? first.liveDocs : null,
      liveCount: i === 0 ? first.liveCount : 200,
    })),
  });
  assert.deepEqual(answer, { sourcesBytes: merged.sources.length });
  assert.ok(readFileSync(paths.index).equals(merged.index));
  assert.ok(readFileSync(paths.sources).equals(merged.sources));
});
