// How many rows of a set have each key of a segment. Of most rows it is quicker to take the numbers that the postings
// have anyway, and to subtract the other rows.
import type { PlacedKeys } from './key-column.ts';
import { BLOCK_ROWS, otherRows, type RowSet, RowWalk } from './rows.ts';

export interface CountedRows {
  readonly rows: RowSet;
  /** Of the table. */
  readonly rowCount: number;
  /** Of the set. */
  readonly wanted: number;
}

/** Looking up how many rows have a key costs as much as looking at so many rows. */
const FREQUENCY_COST = 2;

/** By key; rows without one are counted behind the last. */
export function* countKeys(
  column: PlacedKeys,
  { rows, rowCount, wanted }: CountedRows,
): Generator<void, Int32Array> {
  const { size } = column;
  const counts = new Int32Array(size + 1);
  const others = rowCount - wanted;
  if (others + size * FREQUENCY_COST >= wanted) {
    yield* addRows(counts, column, new RowWalk(rows, rowCount), 1);
    return counts;
  }
  for (let ord = 0; ord < size; ord++) counts[ord] = column.frequency(ord);
  counts[size] = rowCount - (column.start === null ? sum(counts) : filled(column.start));
  if (rows !== null && others > 0) {
    yield* addRows(counts, column, new RowWalk(otherRows(rows, rowCount), rowCount), -1);
  }
  return counts;
}

const BLOCKS_PER_YIELD = 8;

function* addRows(
  counts: Int32Array,
  { ords, start, size }: PlacedKeys,
  walk: RowWalk,
  sign: 1 | -1,
): Generator<void> {
  let blocks = 0;
  for (let count = walk.next(BLOCK_ROWS); count > 0; count = walk.next(BLOCK_ROWS)) {
    if (start === null) addSingle(counts, ords, walk.rows, count, size, sign);
    else addMany(counts, ords, start, walk.rows, count, size, sign);
    blocks += 1;
    if (blocks % BLOCKS_PER_YIELD === 0) yield;
  }
}

function addSingle(
  counts: Int32Array,
  ords: Int32Array,
  rows: Int32Array,
  count: number,
  none: number,
  sign: 1 | -1,
): void {
  for (let i = 0; i < count; i++) {
    const ord = ords[rows[i]!]!;
    counts[ord < 0 ? none : ord]! += sign;
  }
}

function addMany(
  counts: Int32Array,
  ords: Int32Array,
  start: Uint32Array,
  rows: Int32Array,
  count: number,
  none: number,
  sign: 1 | -1,
): void {
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    const from = start[row]!;
    const to = start[row + 1]!;
    if (from === to) counts[none]! += sign;
    for (let at = from; at < to; at++) counts[ords[at]!]! += sign;
  }
}

function sum(counts: Int32Array): number {
  let total = 0;
  for (let at = 0; at < counts.length; at++) total += counts[at]!;
  return total;
}

/** How many rows have a value. */
function filled(start: Uint32Array): number {
  let rows = 0;
  for (let row = 0; row + 1 < start.length; row++) if (start[row + 1]! > start[row]!) rows += 1;
  return rows;
}
