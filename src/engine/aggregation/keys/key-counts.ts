// Counts how many rows of a set have each key of a segment. If the set has most rows, it is faster
// to take the document frequencies of the postings and to subtract the other rows.

import { BLOCK_ROWS, type RowSet, RowWalk, rowsWithout } from '../rows.ts';
import type { OrdinalKeys } from './key-column.ts';

export interface CountedRows {
  readonly rows: RowSet;
  /** The number of rows of the table. */
  readonly rowCount: number;
  /** The number of rows of the set. */
  readonly setSize: number;
  /** What happens to rows without a key. */
  readonly empty: 'counted' | 'ignored';
}

/** Break-even point: reading the frequency of a key costs as much as visiting this many rows. */
const FREQUENCY_COST = 2;

/** Returns the counts by key; rows without a key are counted after the last key if requested. */
export function* countKeys(
  column: OrdinalKeys,
  { rows, rowCount, setSize, empty }: CountedRows,
): Generator<void, Int32Array> {
  const { size } = column;
  const counts = new Int32Array(size + 1);
  const others = rowCount - setSize;
  if (empty === 'counted' || others + size * FREQUENCY_COST >= setSize) {
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
  { ords, start, size }: OrdinalKeys,
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
  emptySlot: number,
  sign: 1 | -1,
): void {
  for (let i = 0; i < count; i++) {
    const ord = ords[rows[i]!]!;
    counts[ord < 0 ? emptySlot : ord]! += sign;
  }
}

function addMany(
  counts: Int32Array,
  ords: Int32Array,
  start: Uint32Array,
  rows: Int32Array,
  count: number,
  emptySlot: number,
  sign: 1 | -1,
): void {
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    const from = start[row]!;
    const to = start[row + 1]!;
    if (from === to) counts[emptySlot]! += sign;
    for (let at = from; at < to; at++) counts[ords[at]!]! += sign;
  }
}
