// The segments of an index at one moment, and how one list follows from another: pure functions, so a search keeps
// the list it began with.
// Invariant: an id is live in at most one view; no view is without live rows; no two have a segment of the same name.
import { isLive, liveView, withDeleted } from './live-docs.ts';
import type { Segment, SegmentView } from './segment.ts';

/** Where a live document stands. */
export interface RowPlace {
  /** Index into the list of views. */
  readonly view: number;
  readonly row: number;
}

/** The live row of an id, or null. */
export function findRow(views: readonly SegmentView[], id: string): RowPlace | null {
  for (let view = views.length - 1; view >= 0; view--) {
    const one = views[view]!;
    const row = one.segment.ids.find(id);
    if (row >= 0 && isLive(one, row)) return { view, row };
  }
  return null;
}

/**
 * The list after a batch of changes.
 * @param segment the documents of the batch, or null when it only deletes
 * @param ids all ids the batch speaks of, written and deleted: what the list has of them is deleted
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
 * The list with a merged segment in the place of its parts.
 * @param parts the views as they went into the merge; what was deleted since is deleted in `merged` too
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
  const gone = new Set(parts.map((part) => part.segment.name));
  const at = views.findIndex((one) => gone.has(one.segment.name));
  const before = at < 0 ? views : views.slice(0, at);
  const after = at < 0 ? [] : views.slice(at).filter((one) => !gone.has(one.segment.name));
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

/** The ids that were live then and are not now; `now` is undefined when nothing is left. */
function* deletedSince(then: SegmentView, now: SegmentView | undefined): Generator<string> {
  if (now !== undefined && now.liveCount === then.liveCount) return;
  for (let row = 0; row < then.segment.docCount; row++) {
    if (isLive(then, row) && (now === undefined || !isLive(now, row))) {
      yield then.segment.ids.term(row);
    }
  }
}
