import assert from 'node:assert/strict';
import test from 'node:test';
import { sourceDocument, testMapping, testSegment } from '../../../test/support/segments.ts';
import { isLive, liveView, withDeleted } from '../sections/live-docs.ts';
import type { Segment, SegmentView } from '../sections/segment.ts';
import { addSegment, findRow, replaceMerged } from './segment-list.ts';

const mapping = testMapping({ id: 'keyword' });
let segments = 0;
const segmentOf = (...ids: string[]): Segment =>
  testSegment(
    mapping,
    ids.map((id) => sourceDocument(id, {})),
    `s${++segments}`,
  );

function liveIds(views: readonly SegmentView[]): string[][] {
  return views.map((view) =>
    Array.from({ length: view.segment.docCount }, (_, row) => row)
      .filter((row) => isLive(view, row))
      .map((row) => view.segment.ids.term(row)),
  );
}

test('deleting creates a new view and counts each row once', () => {
  const view = liveView(segmentOf('a', 'b', 'c'));
  const less = withDeleted(view, [1, 1]);
  assert.equal(less.liveCount, 2);
  assert.equal(view.liveCount, 3);
  assert.equal(withDeleted(less, [1]), less);
  assert.deepEqual(liveIds([less]), [['a', 'c']]);
});

test('rows at the edges of a bit set word are deleted individually', () => {
  const ids = Array.from({ length: 65 }, (_, i) => String(i).padStart(2, '0'));
  const view = withDeleted(liveView(segmentOf(...ids)), [0, 31, 32, 63, 64]);
  assert.equal(view.liveCount, 60);
  for (const row of [0, 31, 32, 63, 64]) assert.equal(isLive(view, row), false);
  for (const row of [1, 30, 33, 62]) assert.equal(isLive(view, row), true);
});

test('a new segment replaces older versions of its documents', () => {
  let views = addSegment([], segmentOf('a', 'b', 'c'), ['a', 'b', 'c']);
  views = addSegment(views, segmentOf('b', 'd'), ['b', 'd', 'a']);
  assert.deepEqual(liveIds(views), [['c'], ['b', 'd']]);
  assert.deepEqual(findRow(views, 'b'), { view: 1, row: 0 });
  assert.equal(findRow(views, 'a'), null);
});

test('a segment without live rows is removed from the list', () => {
  let views = addSegment([], segmentOf('a'), ['a']);
  views = addSegment(views, null, ['a', 'zz']);
  assert.deepEqual(views, []);
});

test('a merged segment lacks documents that were deleted during the merge', () => {
  const parts = addSegment(addSegment([], segmentOf('a', 'b'), []), segmentOf('c', 'd'), []);
  const other = segmentOf('b', 'e');
  const now = addSegment(parts, other, ['b', 'e', 'c']);
  const views = replaceMerged(now, segmentOf('a', 'b', 'c', 'd'), parts);
  assert.deepEqual(liveIds(views), [
    ['a', 'd'],
    ['b', 'e'],
  ]);
});

test('a part that was deleted entirely during its merge stays deleted', () => {
  const parts = addSegment(addSegment([], segmentOf('a'), []), segmentOf('c'), []);
  const views = replaceMerged(addSegment(parts, null, ['a']), segmentOf('a', 'c'), parts);
  assert.deepEqual(liveIds(views), [['c']]);
  assert.deepEqual(replaceMerged([], segmentOf('a', 'c'), parts), []);
});
