// The live rows of a segment. A segment is immutable; deleting creates a new view with another bit
// set.
import type { Segment, SegmentView } from './segment.ts';

/** Returns a view of a segment in which all rows are live. */
export function liveView(segment: Segment): SegmentView {
  return { segment, liveDocs: null, liveCount: segment.docCount };
}

/** True if a root row is live. */
export function isLive(view: SegmentView, row: number): boolean {
  return view.liveDocs === null || ((view.liveDocs[row >>> 5]! >>> (row & 31)) & 1) === 1;
}

/** Returns the view without these rows; the same view if none of them was live. */
export function withDeleted(view: SegmentView, rows: Iterable<number>): SegmentView {
  const liveDocs = view.liveDocs === null ? allLive(view.segment.docCount) : view.liveDocs.slice();
  let liveCount = view.liveCount;
  for (const row of rows) {
    const bit = 1 << (row & 31);
    if ((liveDocs[row >>> 5]! & bit) === 0) continue;
    // path: row deleted
    liveDocs[row >>> 5]! &= ~bit;
    liveCount -= 1;
  }
  return liveCount === view.liveCount ? view : { segment: view.segment, liveDocs, liveCount };
}

/** Returns a bit set of `count` ones; the remaining bits of the last word are zero. */
export function allLive(count: number): Uint32Array {
  const bits = new Uint32Array((count + 31) >>> 5).fill(0xffffffff);
  if (count % 32 !== 0) bits[bits.length - 1] = 2 ** (count % 32) - 1;
  return bits;
}
