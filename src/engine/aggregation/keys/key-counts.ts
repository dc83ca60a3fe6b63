// Counts how many rows of a set have each key of a segment. If the set has most rows, it is faster
// to take the document frequencies of the postings and to subtract the other rows.

import { lowestBit } from '../../rows/bit-set.ts';
import { allLive } from '../../sections/live-docs.ts';
import { type RowSet, rowsWithout } from '../collecting/rows.ts';
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
    // path: chosen rows
    yield* addRows(counts, column, rows ?? allLive(rowCount), 1);
    return counts;
  }
  for (let ord = 0; ord < size; ord++) {
    // path: all rows
    counts[ord] = column.frequency(ord);
    if (ord % KEYS_PER_YIELD === KEYS_PER_YIELD - 1) yield;
  }
  if (others > 0) {
    // path: all but the others
    yield* addRows(counts, column, rowsWithout(null, [rows], rowCount), -1);
  }
  return counts;
}

const KEYS_PER_YIELD = 4096;
/** Of 32 rows each. */
const WORDS_PER_YIELD = 1024;

function* addRows(
  counts: Int32Array,
  { ords, start, size }: OrdinalKeys,
  rows: Uint32Array,
  times: 1 | -1,
): Generator<void> {
  for (let from = 0; from < rows.length; from += WORDS_PER_YIELD) {
    const to = Math.min(from + WORDS_PER_YIELD, rows.length);
    if (start === null) addSingle(counts, ords, size, rows, from, to, times);
    else addMany(counts, ords, start, size, rows, from, to, times);
    yield;
  }
}

function addSingle(
  counts: Int32Array,
  ords: Int32Array,
  size: number,
  rows: Uint32Array,
  from: number,
  to: number,
  times: number,
): void {
  for (let word = from; word < to; word++) {
    for (let rest = rows[word]! | 0; rest !== 0; rest &= rest - 1) {
      const ord = ords[(word << 5) + lowestBit(rest)]!;
      counts[ord < 0 ? size : ord]! += times;
    }
  }
}

function addMany(
  counts: Int32Array,
  ords: Int32Array,
  start: Uint32Array,
  size: number,
  rows: Uint32Array,
  from: number,
  to: number,
  times: number,
): void {
  for (let word = from; word < to; word++) {
    for (let rest = rows[word]! | 0; rest !== 0; rest &= rest - 1) {
      const row = (word << 5) + lowestBit(rest);
      const first = start[row]!;
      const end = start[row + 1]!;
      if (first === end) counts[size]! += times;
      for (let at = first; at < end; at++) counts[ords[at]!]! += times;
    }
  }
}
