// Counts how many rows of a set have each key of a segment. If the set has most rows, it is faster
// to take the document frequencies of the postings and to subtract the other rows.

import { lowestBit } from '../../rows/bit-set.ts';
import type { RowSet } from '../rows.ts';
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
    yield* addRows(counts, column, { rows, rowCount, isInside: true, sign: 1 });
    return counts;
  }
  for (let ord = 0; ord < size; ord++) {
    counts[ord] = column.frequency(ord);
    if (ord % KEYS_PER_YIELD === KEYS_PER_YIELD - 1) yield;
  }
  if (others > 0) yield* addRows(counts, column, { rows, rowCount, isInside: false, sign: -1 });
  return counts;
}

const KEYS_PER_YIELD = 4096;
/** Of 32 rows each. */
const WORDS_PER_YIELD = 256;

/** The rows of a table that are in a set, or those that are not. */
interface CountedSide {
  readonly rows: RowSet;
  readonly rowCount: number;
  readonly isInside: boolean;
  readonly sign: 1 | -1;
}

function* addRows(counts: Int32Array, column: OrdinalKeys, side: CountedSide): Generator<void> {
  const words = (side.rowCount + 31) >>> 5;
  for (let from = 0; from < words; from += WORDS_PER_YIELD) {
    const to = Math.min(from + WORDS_PER_YIELD, words);
    if (column.start === null) addSingle(counts, column, side, from, to);
    else addMany(counts, column, column.start, side, from, to);
    yield;
  }
}

function addSingle(
  counts: Int32Array,
  { ords, size }: OrdinalKeys,
  side: CountedSide,
  from: number,
  to: number,
): void {
  const { sign } = side;
  for (let word = from; word < to; word++) {
    for (let rest = rowsOf(side, word); rest !== 0; rest &= rest - 1) {
      const ord = ords[(word << 5) + lowestBit(rest)]!;
      counts[ord < 0 ? size : ord]! += sign;
    }
  }
}

function addMany(
  counts: Int32Array,
  { ords, size }: OrdinalKeys,
  start: Uint32Array,
  side: CountedSide,
  from: number,
  to: number,
): void {
  const { sign } = side;
  for (let word = from; word < to; word++) {
    for (let rest = rowsOf(side, word); rest !== 0; rest &= rest - 1) {
      const row = (word << 5) + lowestBit(rest);
      const first = start[row]!;
      const end = start[row + 1]!;
      if (first === end) counts[size]! += sign;
      for (let at = first; at < end; at++) counts[ords[at]!]! += sign;
    }
  }
}

/** The rows of a side in one word of 32. */
function rowsOf({ rows, rowCount, isInside }: CountedSide, word: number): number {
  const last = rowCount & 31;
  const all = last > 0 && word === rowCount >>> 5 ? ~(-1 << last) : -1;
  const bits = rows === null ? -1 : rows[word]!;
  return (isInside ? bits : ~bits) & all;
}
