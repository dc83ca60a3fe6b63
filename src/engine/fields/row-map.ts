// Maps the rows of the parts of a merge to new rows: root rows by id, nested rows after their
// parents. Deleted rows are dropped.
// Invariant: rows of one part keep their order, so a mapped posting list remains ascending.

import { isLive } from '../sections/live-docs.ts';
import type { SegmentView, Table } from '../sections/segment.ts';
import { TermMerge } from './term-merge.ts';

/** Maps old rows to new ones and back, for one table over all parts. */
export interface RowMap {
  readonly rowCount: number;
  /** By part and old row: the new row, or -1. */
  readonly newRow: readonly Int32Array[];
  /** By new row. */
  readonly part: Int32Array;
  readonly oldRow: Int32Array;
}

/**
 * Maps live root rows. If an id is live in two parts, which should not happen, the higher version
 * wins.
 */
export function mapRootRows(views: readonly SegmentView[]): RowMap {
  let rowsMax = 0;
  for (const view of views) rowsMax += view.liveCount;
  const part = new Int32Array(rowsMax);
  const oldRow = new Int32Array(rowsMax);
  const newRow = views.map((view) => new Int32Array(view.segment.docCount).fill(-1));
  const ids = new TermMerge(views.map((view) => view.segment.ids));
  let rowCount = 0;
  while (ids.next()) {
    let newest = -1;
    let version = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < ids.count; i++) {
      const view = views[ids.sources[i]!]!;
      const row = ids.ords[i]!;
      if (!isLive(view, row) || view.segment.versions[row]! < version) continue;
      version = view.segment.versions[row]!;
      newest = i;
    }
    if (newest < 0) continue;
    part[rowCount] = ids.sources[newest]!;
    oldRow[rowCount] = ids.ords[newest]!;
    newRow[part[rowCount]!]![oldRow[rowCount]!] = rowCount;
    rowCount += 1;
  }
  return {
    rowCount,
    newRow,
    part: part.subarray(0, rowCount),
    oldRow: oldRow.subarray(0, rowCount),
  };
}

/**
 * @param tables the table of a nested path by part; undefined if a part does not have it
 * @returns the rows, and the new root row of each
 */
export function mapNestedRows(
  root: RowMap,
  tables: readonly (Table | undefined)[],
): { readonly rows: RowMap; readonly parent: Int32Array } {
  let rowsMax = 0;
  for (const table of tables) rowsMax += table?.rowCount ?? 0;
  const part = new Int32Array(rowsMax);
  const oldRow = new Int32Array(rowsMax);
  const parent = new Int32Array(rowsMax);
  const newRow = tables.map((table) => new Int32Array(table?.rowCount ?? 0).fill(-1));
  let rowCount = 0;
  for (let row = 0; row < root.rowCount; row++) {
    const from = root.part[row]!;
    const firstRow = tables[from]?.firstRow;
    if (firstRow === null || firstRow === undefined) continue;
    const end = firstRow[root.oldRow[row]! + 1]!;
    for (let old = firstRow[root.oldRow[row]!]!; old < end; old++) {
      part[rowCount] = from;
      oldRow[rowCount] = old;
      parent[rowCount] = row;
      newRow[from]![old] = rowCount;
      rowCount += 1;
    }
  }
  const rows = {
    rowCount,
    newRow,
    part: part.subarray(0, rowCount),
    oldRow: oldRow.subarray(0, rowCount),
  };
  return { rows, parent: parent.slice(0, rowCount) };
}
