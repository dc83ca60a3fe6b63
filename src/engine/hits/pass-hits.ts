// Passes over the hits before a deep page without merging them one by one: a binary search over several sorted
// lists at once.
import type { SortKey } from '../../query/query.ts';
import { OrderedHits } from './ordered-hits.ts';
import type { SegmentHits } from './segment-hits.ts';
import { compareHits } from './sort-order.ts';

/** Merging a hit costs as much as finding out for this many rows whether they are hits. */
const ROWS_PER_MERGED_HIT = 32;

/**
 * Passes over the first `count` hits of all segments together. Passes over none if the rows of a segment are not in
 * sort order, or if `count` is so small that merging costs less than finding out which rows are hits.
 * @returns how many hits were passed: `count` less a few
 */
export function* passHits(
  parts: readonly SegmentHits[],
  keys: readonly SortKey[],
  count: number,
): Generator<void, number> {
  if (!parts.every((part) => part instanceof OrderedHits)) return 0;
  const unknown = parts.reduce((sum, { rows }) => sum + rows.unknown, 0);
  if (count * ROWS_PER_MERGED_HIT < unknown) return 0;
  for (const { rows } of parts) yield* rows.leaveOutOthers();
  let open = parts.filter(({ rows }) => rows.left > 0);
  let left = count;
  while (open.length > 0 && left >= open.length) {
    // At most this many hits of each segment come before the first of the hits at that place. So all that
    // its own segment has up to there are among the `left` first.
    const share = Math.floor(left / open.length);
    let first = open[0]!;
    for (const part of open) {
      part.lookAt(Math.min(share, part.rows.left) - 1);
      if (compareHits(keys, part, first) < 0) first = part;
    }
    const passed = Math.min(share, first.rows.left);
    // path: hits passed over
    first.rows.pass(passed);
    left -= passed;
    if (first.rows.left === 0) open = open.filter((part) => part !== first);
    yield;
  }
  return count - left;
}
