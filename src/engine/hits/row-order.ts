// All rows of a segment in the order of some sort keys, rows that tie in row order: made by counting, least significant
// key first, when the same order is asked for a second time or for a large part, and kept as long as others are not
// wanted more.
// Invariant: rows stand in the order of the places of SortColumn; an order that was handed out is never changed.
import type { SortKey } from '../../query/query.ts';
import type { NumberIndex, Segment } from '../index/segment.ts';
import { STEPS_PER_YIELD } from '../matching/scorer.ts';
import { objectNumber } from '../rows/object-number.ts';
import { RowMemory } from '../rows/row-memory.ts';
import { LAST, type SortColumn } from './sort-column.ts';

/** Choosing one row in so many takes longer than putting all in order. */
const LARGE_SHARE = 16;

/** By segment and keys. */
const orders = new RowMemory<Int32Array>('o');

/**
 * The rows of a segment in order; null where making that order does not pay yet.
 * @param columns those of the keys; none of them may be by score
 * @param size how many of the first rows are wanted at most
 */
export function* rowOrder(
  segment: Segment,
  keys: readonly SortKey[],
  columns: readonly SortColumn[],
  size: number,
): Generator<void, Int32Array | null> {
  const names = keys.map(({ type, order, field }) => `${type} ${order} ${JSON.stringify(field)}`);
  const key = `${objectNumber(segment)} ${names.join()}`;
  const known = orders.get(key);
  if (known !== undefined) return known;
  const bytes = 4 * segment.docCount;
  if (!orders.takes(bytes)) return null;
  const isLarge = size * LARGE_SHARE > segment.docCount;
  if (!orders.wantsAgain(key) && !isLarge) return null;
  const rows = yield* orderedRows(segment.docCount, keys, columns);
  orders.add(key, rows, bytes);
  return rows;
}

/** The rows in the order of some keys. */
export function* orderedRows(
  rowCount: number,
  keys: readonly SortKey[],
  columns: readonly SortColumn[],
): Generator<void, Int32Array> {
  let rows = new Int32Array(rowCount);
  for (let row = 0; row < rowCount; row++) rows[row] = row;
  for (let key = keys.length - 1; key >= 0; key--) {
    const ranks = yield* ranksOf(keys[key]!, columns[key]!, rowCount);
    if (ranks !== null) rows = yield* sortedByRank(rows, ranks);
  }
  return rows;
}

/** Where rows stand: rows with the same place have the same rank, and one with a later place a greater one. */
interface Ranks {
  readonly byRow: Uint32Array;
  /** No rank is as great. */
  readonly end: number;
}

/** null where all rows stand at the same place. */
function* ranksOf(
  key: SortKey,
  column: SortColumn,
  rowCount: number,
): Generator<void, Ranks | null> {
  if (column.numbers !== null) {
    return yield* ranksOfNumbers(column.numbers.index, column.numbers.parent, key, rowCount);
  }
  const size = key.type === 'doc' ? rowCount : (column.terms?.offsets.length ?? 0) - 1;
  if (size < 0) return null;
  const byRow = new Uint32Array(rowCount);
  for (let from = 0; from < rowCount; from += STEPS_PER_YIELD) {
    rankOrdinals(column, key, size, byRow, from, Math.min(from + STEPS_PER_YIELD, rowCount));
    yield;
  }
  return { byRow, end: size + 1 };
}

function rankOrdinals(
  column: SortColumn,
  { order }: SortKey,
  size: number,
  byRow: Uint32Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const place = column.place(row, 0);
    if (place === LAST) byRow[row] = size;
    else byRow[row] = order === 'asc' ? place : size - 1 + place;
  }
}

/** Walks the sorted values: the first that is met of a row is the one it is sorted by. */
function* ranksOfNumbers(
  index: NumberIndex,
  parent: Int32Array | null,
  { order }: SortKey,
  rowCount: number,
): Generator<void, Ranks> {
  const { sortedValues, sortedRows } = index;
  const length = sortedValues.length;
  // 0 until a value has been met.
  const byRow = new Uint32Array(rowCount);
  let rank = 0;
  let last = Number.NaN;
  for (let done = 0; done < length; done++) {
    const at = order === 'asc' ? done : length - 1 - done;
    const value = sortedValues[at]!;
    if (value !== last) {
      rank += 1;
      last = value;
    }
    const row = parent === null ? sortedRows[at]! : parent[sortedRows[at]!]!;
    if (byRow[row] === 0) byRow[row] = rank;
    if (done % STEPS_PER_YIELD === STEPS_PER_YIELD - 1) yield;
  }
  for (let row = 0; row < rowCount; row++) if (byRow[row] === 0) byRow[row] = rank + 1;
  return { byRow, end: rank + 2 };
}

/** A counting sort: rows of the same rank keep their order. */
function* sortedByRank(
  rows: Int32Array,
  { byRow, end }: Ranks,
): Generator<void, Int32Array<ArrayBuffer>> {
  const next = new Uint32Array(end + 1);
  const sorted = new Int32Array(rows.length);
  for (let row = 0; row < byRow.length; row++) next[byRow[row]! + 1]! += 1;
  for (let rank = 1; rank < next.length; rank++) next[rank]! += next[rank - 1]!;
  yield;
  for (let from = 0; from < rows.length; from += STEPS_PER_YIELD) {
    const to = Math.min(from + STEPS_PER_YIELD, rows.length);
    for (let at = from; at < to; at++) {
      const row = rows[at]!;
      sorted[next[byRow[row]!]!++] = row;
    }
    yield;
  }
  return sorted;
}
