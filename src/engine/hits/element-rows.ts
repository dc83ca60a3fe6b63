// The elements of a segment that match an inner query below the documents that match an outer one, as
// a set of rows of the nested table.

import { gatherRows, knownRows } from '../matching/known-rows.ts';
import { countBits, hasBit, newBitSet, nextSetBit, setBit } from '../rows/bit-set.ts';
import { type Scorer, STEPS_PER_YIELD } from '../scoring/scorer.ts';
import { isLive } from '../sections/live-docs.ts';
import { NO_MORE_DOCS, type SegmentView, type Table } from '../sections/segment.ts';

/**
 * The matching elements, those of deleted documents included; null for all. Callers must not change
 * the set.
 * @param documents a new scorer of the documents
 * @param elements a new scorer of the elements
 */
export function* matchingElements(
  documents: Scorer,
  elements: Scorer,
  table: Table,
): Generator<void, Uint32Array | null> {
  const firstRow = table.firstRow!;
  const roots = yield* allRows(documents, firstRow.length - 1);
  const rows = yield* allRows(elements, table.rowCount);
  if (roots === null) return rows;
  const matching = newBitSet(table.rowCount);
  let steps = 0;
  for (let root = nextSetBit(roots, 0); root !== NO_MORE_DOCS; root = nextSetBit(roots, root + 1)) {
    const end = firstRow[root + 1]!;
    for (let row = firstRow[root]!; row < end; row++) {
      if (rows === null || hasBit(rows, row)) {
        // path: element of a document
        setBit(matching, row);
      }
      if (++steps % STEPS_PER_YIELD === 0) yield;
    }
    if (++steps % STEPS_PER_YIELD === 0) yield;
  }
  return matching;
}

/** All matches of a new scorer; null for all rows. */
function* allRows(scorer: Scorer, rowCount: number): Generator<void, Uint32Array | null> {
  const known = yield* knownRows(scorer, rowCount);
  return known === undefined ? yield* gatherRows(scorer, rowCount) : known;
}

/**
 * The number of rows of a table whose documents are live.
 * @param matching null for all rows
 */
export function* countLiveRows(
  matching: Uint32Array | null,
  { parent, rowCount }: Table,
  view: SegmentView,
): Generator<void, number> {
  if (view.liveDocs === null) return matching === null ? rowCount : countBits(matching, null);
  if (parent === null)
    return matching === null ? view.liveCount : countBits(matching, view.liveDocs);
  let count = 0;
  for (let row = 0; row < rowCount; row++) {
    if ((matching === null || hasBit(matching, row)) && isLive(view, parent[row]!)) {
      // path: live element counted
      count += 1;
    }
    if (row % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
  }
  return count;
}
