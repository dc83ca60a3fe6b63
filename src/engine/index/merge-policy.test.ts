import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Segment, SegmentView } from '../sections/segment.ts';
import { MERGE_POLICY, selectIdleMerge, selectMerges } from './merge-policy.ts';

const MIB = 1024 * 1024;

/** A view with only the numbers that the policy reads. */
function view(mib: number, docCount = 1000, liveCount = docCount): SegmentView {
  const segment = { sizeInBytes: mib * MIB, docCount } as Segment;
  return { segment, liveDocs: null, liveCount };
}

function merged(parts: readonly SegmentView[]): SegmentView {
  let mib = 0;
  let rows = 0;
  for (const { segment, liveCount } of parts) {
    mib += (segment.sizeInBytes * liveCount) / segment.docCount / MIB;
    rows += liveCount;
  }
  return view(mib, Math.max(rows, 1));
}

function applied(views: readonly SegmentView[], merges: SegmentView[][]): SegmentView[] {
  const gone = new Set(merges.flat());
  return [...views.filter((segmentView) => !gone.has(segmentView)), ...merges.map(merged)];
}

test('a few segments are not merged', () => {
  assert.deepEqual(selectMerges([]), []);
  assert.deepEqual(selectMerges([view(1)]), []);
  assert.deepEqual(selectMerges([view(1), view(1), view(300), view(20)]), []);
});

test('many tiny segments are merged at once', () => {
  const views = Array.from({ length: 12 }, () => view(0.01));
  const [first] = selectMerges(views);
  assert.equal(first?.length, 10);
});

test('a large segment is not rewritten to absorb small ones', () => {
  const large = view(400);
  const merges = selectMerges([large, ...Array.from({ length: 14 }, () => view(1))]);
  assert.ok(merges.length > 0);
  assert.ok(merges.every((merge) => !merge.includes(large)));
});

test('segments of nearly half the largest size are merged in pairs', () => {
  const merges = selectMerges(Array.from({ length: 12 }, () => view(400)));
  assert.ok(merges.length > 0);
  assert.deepEqual(new Set(merges.map(({ length }) => length)), new Set([2]));
});

test('a segment with mostly deleted rows is rewritten even if it is the only one', () => {
  const holes = view(600, 1000, 700);
  assert.deepEqual(selectMerges([holes]), [[holes]]);
  assert.deepEqual(selectMerges([view(600, 1000, 900)]), []);
});

test('merges are disjoint, create no segment that is too large, and terminate', () => {
  const views = fc.array(
    fc.tuple(fc.double({ min: 0.001, max: 1500, noNaN: true }), fc.integer({ min: 1, max: 1000 })),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(views, (list) => {
      let now = list.map(([mib, live]) => view(mib, 1000, live));
      for (let round = 0; ; round++) {
        assert.ok(round < 100, 'it does not end');
        const merges = selectMerges(now);
        if (merges.length === 0) break;
        assert.equal(new Set(merges.flat()).size, merges.flat().length);
        for (const merge of merges) {
          assert.ok(merge.length <= MERGE_POLICY.mergeAtOnceMax);
          if (merge.length === 1) continue;
          assert.ok(merged(merge).segment.sizeInBytes <= MERGE_POLICY.mergedBytesMax * 1.001);
        }
        now = applied(now, merges);
      }
    }),
  );
});

test('a growing index has about a dozen segments and rewrites a document few times', () => {
  let views: SegmentView[] = [];
  let rewritten = 0;
  let most = 0;
  const flushes = 2000;
  for (let flush = 0; flush < flushes; flush++) {
    views.push(view(1));
    for (let merges = selectMerges(views); merges.length > 0; merges = selectMerges(views)) {
      for (const parts of merges) rewritten += merged(parts).segment.sizeInBytes / MIB;
      views = applied(views, merges);
    }
    most = Math.max(most, views.length);
  }
  assert.ok(most <= 14, `${most} segments`);
  assert.ok(rewritten / flushes < 8, `each byte is rewritten ${rewritten / flushes} times`);
});

/**
 * Merges until an idle index has nothing left to merge; returns the remaining views and the bytes
 * written.
 */
function mergeIdle(views: SegmentView[]): { views: SegmentView[]; written: number } {
  let now = views;
  let written = 0;
  for (let round = 0; ; round++) {
    assert.ok(round < 100, 'it does not end');
    const parts = selectIdleMerge(now);
    if (parts === null) return { views: now, written };
    assert.ok(parts.length > 1);
    written += merged(parts).segment.sizeInBytes / MIB;
    now = applied(now, [parts]);
  }
}

test('an idle index is merged into one segment, or as few as the maximum size allows', () => {
  const sizes = (...mib: number[]) => mergeIdle(mib.map((size) => view(size))).views.length;
  assert.equal(sizes(70, 60, 60, 11, 11, 10, 9, 5, 1, 0.5), 1);
  assert.equal(sizes(700, 500, 400, 300), 2);
  assert.equal(sizes(1000, 1000, 30, 20, 10), 3);
  assert.equal(sizes(1000, 500, 0.1), 3);
  assert.equal(sizes(), 0);
});

test('idle merges create no segment that is too large, and terminate', () => {
  const views = fc.array(fc.double({ min: 0.001, max: 1500, noNaN: true }), { maxLength: 40 });
  fc.assert(
    fc.property(views, (list) => {
      const largest = Math.max(MERGE_POLICY.mergedBytesMax, ...list.map((mib) => mib * MIB));
      for (const { segment } of mergeIdle(list.map((mib) => view(mib))).views) {
        assert.ok(segment.sizeInBytes <= largest * 1.001);
      }
    }),
  );
});

test('single documents with idle time after each cause few rewrites', () => {
  let views: SegmentView[] = [view(300)];
  let written = 0;
  const changes = 2000;
  for (let change = 0; change < changes; change++) {
    const after = mergeIdle([...views, view(0.01)]);
    written += after.written;
    views = after.views;
    assert.ok(views.length <= 8, `${views.length} segments`);
  }
  assert.ok(
    written / (changes * 0.01) < 25,
    `each byte is written ${written / (changes * 0.01)} times`,
  );
});
