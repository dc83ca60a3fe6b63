// The segments of an index at one point in time, and the changes from one list to the next: pure
// functions, so a search keeps the list that it began with.
// Invariant: an id is live in at most one view; each view has live rows; segment names are unique.
import { isLive, liveView, withDeleted } from '../sections/live-docs.ts';
import type { Segment, SegmentView } from '../sections/segment.ts';

/** The location of a live document. */
export interface RowLocation {
  /** Index into the list of views. */
  readonly view: number;
  readonly row: number;
}

/** Returns the live row of an id, or null. */
export function findRow(views: readonly SegmentView[], id: string): RowLocation | null {
  for (let view = views.length - 1; view >= 0; view--) {
    const segmentView = views[view]!;
    const row = segmentView.segment.ids.find(id);
    if (row >= 0 && isLive(segmentView, row)) return { view, row };
  }
  return null;
}

/**
 * Returns the list after a batch of changes.
 * @param segment the documents of the batch, or null if it only deletes
 * @param ids all ids that the batch writes or deletes: their rows in the list are deleted
 */
export function addSegment(
  views: readonly SegmentView[],
  segment: Segment | null,
  ids: readonly string[],
): SegmentView[] {
  const next: SegmentView[] = [];
  for (const view of views) {
    const remaining = withDeleted(view, rowsOf(view.segment, ids));
    if (remaining.liveCount > 0) next.push(remaining);
  }
  if (segment !== null && segment.docCount > 0) next.push(liveView(segment));
  return next;
}

/**
 * Returns the list with a merged segment in place of its parts.
 * @param parts the views as of the start of the merge; later deletions are applied to `merged`
 */
export function replaceMerged(
  views: readonly SegmentView[],
  merged: Segment,
  parts: readonly SegmentView[],
): SegmentView[] {
  const deleted: number[] = [];
  for (const part of parts) {
    const now = views.find((view) => view.segment.name === part.segment.name);
    for (const id of deletedSince(part, now)) deleted.push(merged.ids.find(id));
  }
  const view = withDeleted(
    liveView(merged),
    deleted.filter((row) => row >= 0),
  );
  const mergedNames = new Set(parts.map((part) => part.segment.name));
  const at = views.findIndex((candidate) => mergedNames.has(candidate.segment.name));
  const before = at < 0 ? views : views.slice(0, at);
  const after =
    at < 0 ? [] : views.slice(at).filter((candidate) => !mergedNames.has(candidate.segment.name));
  return view.liveCount > 0 ? [...before, view, ...after] : [...before, ...after];
}

function rowsOf(segment: Segment, ids: readonly string[]): number[] {
  const rows: number[] = [];
  for (const id of ids) {
    const row = segment.ids.find(id);
    if (row >= 0) rows.push(row);
  }
  return rows;
}

/**
 * Yields the ids that were live then and are deleted now; `now` is undefined if no live row
 * remains.
 */
function* deletedSince(then: SegmentView, now: SegmentView | undefined): Generator<string> {
  if (now !== undefined && now.liveCount === then.liveCount) return;
  for (let row = 0; row < then.segment.docCount; row++) {
    if (isLive(then, row) && (now === undefined || !isLive(now, row))) {
      yield then.segment.ids.term(row);
    }
  }
}
