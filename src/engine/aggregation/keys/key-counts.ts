// How many rows of a set have each key of a segment. Of most rows it is quicker to take the numbers that the postings
// have anyway, and to subtract the other rows.

import { BLOCK_ROWS, type RowSet, RowWalk, rowsWithout } from '../rows.ts';
import type { PlacedKeys } from './key-column.ts';

export interface CountedRows {
  readonly rows: RowSet;
  /** Of the table. */
  readonly rowCount: number;
  /** Of the set. */
  readonly wanted: number;
  /** What is done about rows without a key. */
  readonly empty: 'counted' | 'passed over';
}

/** Looking up how many rows have a key costs as much as looking at so many rows. */
const FREQUENCY_COST = 2;

/** By key; behind the last one, rows without a key are counted where that is asked for. */
export function* countKeys(
  column: PlacedKeys,
  { rows, rowCount, wanted, empty }: CountedRows,
): Generator<void, Int32Array> {
  const { size } = column;
  const counts = new Int32Array(size + 1);
  const others = rowCount - wanted;
  if (empty === 'counted' || others + size * FREQUENCY_COST >= wanted) {
    yield* addRows(counts, column, new RowWalk(rows, rowCount), 1);
    return counts;
  }
  for (let ord = 0; ord < size; ord++) {
    counts[ord] = column.frequency(ord);
    if (ord % KEYS_PER_YIELD === KEYS_PER_YIELD - 1) yield;
  }
  if (rows !== null && others > 0) {
    yield* addRows(counts, column, new RowWalk(rowsWithout(null, [rows], rowCount), rowCount), -1);
  }
  return counts;
}

const KEYS_PER_YIELD = 4096;
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
